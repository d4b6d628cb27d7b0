import { t } from "i18next"
import { ArrowUp, Square } from "lucide-react"
import { useEffect, useRef, type KeyboardEvent } from "react"
import type { FolderEntry } from "../../../../shared/contract/folders.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"

interface QuickComposerProps {
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  folders: FolderEntry[]
  /** The folders that the answer may use: "" for none, "all", or a folder id. */
  scope: string
  onScopeChange: (scope: string) => void
  /** Set while an answer is being written. */
  onStop: (() => void) | undefined
}

/** The question field and the choice of folders to search. Enter asks. */
export function QuickComposer(props: QuickComposerProps) {
  const { text, onTextChange, onSubmit, folders, scope, onScopeChange, onStop } = props
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const canAsk = text.trim() !== "" && !onStop

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canAsk) onSubmit()
  }

  return (
    <div className="m-4 mt-1 flex items-end gap-2 rounded-xl border border-line-strong bg-field p-2 pl-3 focus-within:border-accent">
      <textarea
        ref={area}
        aria-label={t("frame:quickAsk.question")}
        placeholder={t("frame:quickAsk.placeholder")}
        rows={1}
        value={text}
        onChange={(event) => onTextChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-32 min-h-7 min-w-0 flex-1 resize-none py-1 leading-relaxed focus-visible:outline-none"
      />
      {folders.length > 0 && (
        <select
          aria-label={t("frame:quickAsk.scope")}
          value={scope}
          onChange={(event) => onScopeChange(event.target.value)}
          className="h-8 max-w-40 rounded-md bg-field px-1 text-sm text-soft"
        >
          <option value="">{t("frame:quickAsk.noFolders")}</option>
          <option value="all">{t("frame:quickAsk.allFolders")}</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {onStop ? (
        <IconButton label={t("frame:quickAsk.stop")} onClick={onStop} variant="interim">
          <Square className="fill-current" aria-hidden />
        </IconButton>
      ) : (
        <IconButton
          label={t("frame:quickAsk.ask")}
          keys="Enter"
          onClick={onSubmit}
          disabled={!canAsk}
          variant="main"
        >
          <ArrowUp aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
