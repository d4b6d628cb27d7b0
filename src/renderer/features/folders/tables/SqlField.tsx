import { t } from "i18next"
import { Play } from "lucide-react"
import { useId, useState } from "react"
import { Button } from "../../../ui/controls/Button.tsx"

interface SqlFieldProps {
  sql: string
  /** Why the SELECT failed. */
  error: string | null
  onRun: (sql: string) => void
}

/** The SELECT behind the rows shown, which can be edited. Ctrl+Enter runs it. */
export function SqlField({ sql, error, onRun }: SqlFieldProps) {
  const errorId = useId()
  const [edited, setEdited] = useState({ sql, text: sql })
  // A new SELECT replaces the edited text.
  const text = edited.sql === sql ? edited.text : sql
  const canRun = text.trim() !== ""
  return (
    <form
      className="flex flex-wrap items-end gap-2 px-4 pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (canRun) onRun(text.trim())
      }}
    >
      <textarea
        aria-label={t("folders:tables.sql")}
        title={t("folders:tables.sqlHint")}
        value={text}
        rows={1}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : errorId}
        onChange={({ target }) => setEdited({ sql, text: target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
        className="field-sizing-content max-h-24 min-h-8 min-w-0 flex-1 resize-none rounded-md border border-line bg-field px-2.5 py-1.5 font-mono text-xs transition-colors hover:border-line-strong focus-visible:outline-offset-0"
      />
      <Button type="submit" disabled={!canRun} title={t("folders:tables.runKeys")}>
        <Play aria-hidden /> {t("folders:tables.run")}
      </Button>
      {error !== null && (
        <p id={errorId} role="alert" className="basis-full text-xs text-danger">
          {error}
        </p>
      )}
    </form>
  )
}
