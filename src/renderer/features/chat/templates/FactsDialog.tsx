import { t } from "i18next"
import { Plus, X } from "lucide-react"
import { useState, type KeyboardEvent } from "react"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { addColumns, maxColumns } from "./columns.ts"
import { createFactsQuestion, type WholeQuestion } from "./templates.ts"

const suggestions = ["date", "amount", "party", "subject", "deadline", "reference"] as const

interface FactsDialogProps {
  onAsk: (question: WholeQuestion) => void
  onClose: () => void
}

/** Chooses the columns of a table of facts. */
export function FactsDialog({ onAsk, onClose }: FactsDialogProps) {
  const [rows, setRows] = useState("")
  const [columns, setColumns] = useState<string[]>([])
  const [text, setText] = useState("")
  const all = addColumns(columns, text)
  const offered = suggestions
    .map((key) => t(`templates:column.${key}`))
    .filter((name) => !columns.includes(name))

  function take(typed: string) {
    setColumns(addColumns(columns, typed))
    setText("")
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && text.trim() !== "") take(text)
    else if (event.key === "Backspace" && text === "") setColumns(columns.slice(0, -1))
    else return
    event.preventDefault()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("templates:facts.name")}
      description={t("templates:facts.choose")}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onClose()
          onAsk(createFactsQuestion(all, rows.trim()))
        }}
      >
        <TextField
          label={t("templates:facts.rows")}
          placeholder={t("templates:facts.rowsExample")}
          value={rows}
          maxLength={200}
          onChange={(event) => setRows(event.target.value)}
        />
        <div className="flex flex-col gap-2">
          <TextField
            label={t("templates:facts.columns")}
            placeholder={t("templates:facts.columnsExample")}
            hint={t("templates:facts.own")}
            value={text}
            maxLength={200}
            onKeyDown={onKeyDown}
            onChange={({ target: { value } }) => (/[,;]/.test(value) ? take(value) : setText(value))}
          />
          {columns.length > 0 && (
            <ul aria-label={t("templates:facts.columns")} className="flex flex-wrap gap-1.5">
              {columns.map((name) => (
                <li
                  key={name}
                  className="flex h-7 min-w-0 items-center rounded-md bg-tint pl-2 text-sm text-accent"
                >
                  <span className="truncate">{name}</span>
                  <button
                    type="button"
                    aria-label={t("templates:remove", { name })}
                    title={t("templates:remove", { name })}
                    onClick={() => setColumns(columns.filter((column) => column !== name))}
                    className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
                  >
                    <X className="size-3.5" aria-hidden />
                  </button>
                </li>
              ))}
            </ul>
          )}
          {offered.length > 0 && columns.length < maxColumns && (
            <ul aria-label={t("templates:facts.suggestions")} className="flex flex-wrap gap-1.5">
              {offered.map((name) => (
                <li key={name}>
                  <button
                    type="button"
                    onClick={() => setColumns(addColumns(columns, name))}
                    className="flex h-7 items-center gap-1 rounded-md border border-line px-2 text-sm text-soft hover:bg-hover hover:text-ink"
                  >
                    <Plus className="size-3.5" aria-hidden /> {name}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" disabled={all.length === 0}>
            {t("templates:facts.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
