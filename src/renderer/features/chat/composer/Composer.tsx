import { t } from "i18next"
import { ArrowUp, ListPlus, Paperclip, Square, X } from "lucide-react"
import { useEffect, useRef, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react"
import { shortcutName } from "../../../lib/keys/shortcut.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { pastedFiles } from "./attachments/attachment-store.ts"
import { MentionList, useMentions } from "./mentions/MentionList.tsx"
import type { MentionSource } from "./mentions/mention-sources.tsx"

interface ComposerProps {
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  onAttach: (files: File[]) => void
  /** Set while an answer is in progress. */
  onStop: (() => void) | undefined
  stopping: boolean
  /** Starts editing the last question. */
  onEditLast: (() => void) | undefined
  /** Set while an earlier question is being edited. */
  onCancelEdit: (() => void) | undefined
  placeholder: string
  mentions: MentionSource[]
  /** Shown between the text and the buttons: what the question is about. */
  children: ReactNode
  /** Shown above the text: files and waiting questions. */
  above: ReactNode
}

/** The message composer. Enter sends, or queues while an answer is in progress; Shift+Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const { text, onTextChange, onSubmit, onAttach, onStop, stopping, onCancelEdit, placeholder, above } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const mentions = useMentions(area, text, onTextChange, props.mentions)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])

  const canSend = text.trim() !== ""

  function onKeyDown(event: KeyboardEvent) {
    if (mentions.onKeyDown(event)) return
    if (event.key === "Escape" && onCancelEdit) {
      event.preventDefault()
      onCancelEdit()
    } else if (event.key === "Escape" && !event.nativeEvent.isComposing) leaveIfUnused(event.nativeEvent)
    if (event.key === "ArrowUp" && text === "" && !event.shiftKey && props.onEditLast) {
      event.preventDefault()
      props.onEditLast()
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canSend) onSubmit()
  }

  /** Leaves the field, so that single-key shortcuts work, unless something open or the answer in progress has handled the key. */
  function leaveIfUnused(key: Event) {
    setTimeout(() => {
      if (!key.defaultPrevented) area.current?.blur()
    })
  }

  function onPaste(event: ClipboardEvent) {
    const files = pastedFiles(event.clipboardData)
    if (files.length === 0) return
    event.preventDefault()
    onAttach(files)
  }

  return (
    <div
      data-composer
      className="relative mx-auto w-full max-w-3xl px-6 pb-5 before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-6 before:bg-linear-to-t before:from-canvas before:to-transparent"
    >
      {above}
      {onCancelEdit && (
        <div className="mb-2 flex items-center gap-2 text-sm text-soft">
          <span className="min-w-0 flex-1">{t("chat:editing")}</span>
          <IconButton label={t("chat:cancel")} keys="Esc" onClick={onCancelEdit}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
      <div className="relative rounded-xl border border-line-strong bg-field shadow-xs transition-colors focus-within:border-accent">
        {mentions.list && <MentionList {...mentions.list} onChoose={mentions.choose} />}
        <textarea
          ref={area}
          aria-label={t("chat:message")}
          {...mentions.aria}
          placeholder={placeholder}
          dir="auto"
          rows={Math.min(12, text.split("\n").length)}
          value={text}
          onChange={(event) => {
            onTextChange(event.target.value)
            mentions.detectMention()
          }}
          onSelect={mentions.detectMention}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="block field-sizing-content max-h-[40vh] min-h-11 w-full resize-none px-4 pt-3 pb-1 text-[0.9375rem] leading-relaxed focus-visible:outline-none"
        />
        <div className="@container flex flex-wrap items-end gap-1 p-2">
          <AttachButton onAttach={onAttach} />
          {props.children}
          <span className="flex-1 @min-md:hidden" />
          {onStop && (
            <IconButton
              label={t("chat:stop")}
              keys="Esc"
              onClick={onStop}
              disabled={stopping}
              variant="interim"
            >
              <Square className="fill-current" aria-hidden />
            </IconButton>
          )}
          {(!onStop || canSend) && (
            <IconButton
              label={onStop ? t("chat:queue.add") : t("chat:send")}
              keys={shortcutName("send")}
              onClick={onSubmit}
              disabled={!canSend}
              variant="main"
            >
              {onStop ? <ListPlus aria-hidden /> : <ArrowUp aria-hidden />}
            </IconButton>
          )}
        </div>
      </div>
    </div>
  )
}

function AttachButton({ onAttach }: { onAttach: (files: File[]) => void }) {
  const chooser = useFileInput({ label: t("chat:attach.files"), multiple: true, onFiles: onAttach })
  return (
    <>
      <IconButton label={t("chat:attach.button")} onClick={chooser.open}>
        <Paperclip aria-hidden />
      </IconButton>
      {chooser.input}
    </>
  )
}
