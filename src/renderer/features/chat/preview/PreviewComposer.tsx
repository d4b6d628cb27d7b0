import { t } from "i18next"
import { ArrowUp, Square } from "lucide-react"
import type { RefObject } from "react"
import { IconButton } from "../../../ui/controls/Button.tsx"

interface PreviewComposerProps {
  /** The text area, for callers that move the focus there. */
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  /** Set while an answer is being written. */
  onStop: (() => void) | undefined
  stopping: boolean
}

/** A composer without choices: it asks one assistant and takes no files. */
export function PreviewComposer({
  area,
  text,
  onTextChange,
  onSubmit,
  onStop,
  stopping,
}: PreviewComposerProps) {
  return (
    <div className="m-4 mt-1 flex items-end gap-2 rounded-xl border border-line-strong bg-field p-2 pl-3 focus-within:border-accent">
      <textarea
        ref={area}
        aria-label={t("assistants:preview.question")}
        placeholder={t("assistants:preview.placeholder")}
        rows={1}
        value={text}
        onChange={({ target }) => onTextChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onSubmit()
        }}
        className="field-sizing-content max-h-40 min-h-7 min-w-0 flex-1 resize-none py-1 leading-relaxed focus-visible:outline-none"
      />
      {onStop ? (
        <IconButton label={t("chat:stop")} variant="interim" disabled={stopping} onClick={onStop}>
          <Square className="fill-current" aria-hidden />
        </IconButton>
      ) : (
        <IconButton
          label={t("chat:send")}
          keys="Enter"
          variant="main"
          disabled={text.trim() === ""}
          onClick={onSubmit}
        >
          <ArrowUp aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
