import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"

interface PickRowProps {
  chat: ConversationSummary
  picked: boolean
  /** Selects or deselects the chat; for a range, all chats from the last one as well. */
  onPick: (chat: ConversationSummary, isRange: boolean) => void
  onEnd: () => void
}

/** A chat's row while several chats are being selected. */
export function PickRow({ chat, picked, onPick, onEnd }: PickRowProps) {
  return (
    <label
      title={`${chat.title}\n${formatFullMoment(chat.updatedAt)}`}
      className={classNames(
        "flex h-8 items-center gap-2 rounded-md px-2 text-sm transition-colors select-none has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent",
        picked ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      <input
        type="checkbox"
        checked={picked}
        readOnly
        onClick={({ shiftKey }) => onPick(chat, shiftKey)}
        onKeyDown={({ key }) => key === "Escape" && onEnd()}
        className="size-4 shrink-0 accent-solid focus-visible:outline-none"
      />
      <span className="min-w-0 flex-1 truncate">{chat.title}</span>
    </label>
  )
}
