import { ArrowUp, Square, X } from "lucide-react"
import { useEffect, useRef, type KeyboardEvent } from "react"
import { IconButton } from "../../ui/IconButton.tsx"
import { FolderPicker } from "./FolderPicker.tsx"

interface ComposerProps {
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  folderIds: string[]
  onFoldersChange: (folderIds: string[]) => void
  /** Set while an answer runs. */
  onStop: (() => void) | undefined
  stopping: boolean
  /** Set while an earlier question is asked differently. */
  onCancelEdit: (() => void) | undefined
}

/** Where questions are written. Enter sends, Shift+Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const { text, onTextChange, onSubmit, folderIds, onFoldersChange, onStop, stopping, onCancelEdit } = props
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && onCancelEdit) {
      event.preventDefault()
      onCancelEdit()
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canSend) onSubmit()
  }

  const canSend = text.trim() !== "" && onStop === undefined

  return (
    <div className="mx-auto w-full max-w-3xl px-6 pb-5">
      {onCancelEdit && (
        <div className="mb-2 flex items-center gap-2 text-sm text-soft">
          <span className="min-w-0 flex-1">
            Asking differently. What followed is kept as an earlier version.
          </span>
          <IconButton label="Cancel" keys="Esc" onClick={onCancelEdit}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
      <div className="rounded-xl border border-line-strong bg-field shadow-xs transition-colors focus-within:border-accent">
        <textarea
          ref={area}
          aria-label="Message"
          placeholder={folderIds.length > 0 ? "Ask your documents…" : "Ask anything…"}
          rows={Math.min(12, text.split("\n").length)}
          value={text}
          onChange={(event) => onTextChange(event.target.value)}
          onKeyDown={onKeyDown}
          className="block field-sizing-content max-h-[40vh] min-h-11 w-full resize-none px-4 pt-3 pb-1 text-[0.9375rem] leading-relaxed focus-visible:outline-none"
        />
        <div className="flex items-center gap-1 p-2">
          <FolderPicker selected={folderIds} onChange={onFoldersChange} />
          <span className="flex-1" />
          {onStop ? (
            <IconButton label="Stop" keys="Esc" onClick={onStop} disabled={stopping} variant="interim">
              <Square className="fill-current" aria-hidden />
            </IconButton>
          ) : (
            <IconButton label="Send" keys="Enter" onClick={onSubmit} disabled={!canSend} variant="main">
              <ArrowUp aria-hidden />
            </IconButton>
          )}
        </div>
      </div>
    </div>
  )
}
