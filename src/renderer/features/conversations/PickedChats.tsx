import { t } from "i18next"
import { CheckCheck, Download, Layers, Trash2, X } from "lucide-react"
import { useState } from "react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { MoveDialog } from "./ConversationActions.tsx"
import { exportChats } from "./export-chat.ts"

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

interface PickedChatsProps {
  chats: readonly ConversationSummary[]
  onPickAll: () => void
  onEnd: () => void
}

/** Actions for all selected chats. */
export function PickedChats({ chats, onPickAll, onEnd }: PickedChatsProps) {
  const [moving, setMoving] = useState(false)
  const isNone = chats.length === 0
  const remove = () => {
    onEnd()
    void chatDeletions.remove(...chats)
  }
  const save = () => void exportChats(chats.map(({ id }) => id)).catch(showError)
  return (
    <section
      aria-label={t("conversations:pick.label")}
      className="flex items-center border-t border-line px-2 py-1.5 text-sm"
    >
      <IconButton label={t("conversations:pick.end")} onClick={onEnd}>
        <X aria-hidden />
      </IconButton>
      <output className="min-w-0 flex-1 truncate px-1">
        {t("conversations:pick.count", { count: chats.length })}
      </output>
      <IconButton label={t("conversations:pick.all")} onClick={onPickAll}>
        <CheckCheck aria-hidden />
      </IconButton>
      <IconButton label={t("conversations:move")} disabled={isNone} onClick={() => setMoving(true)}>
        <Layers aria-hidden />
      </IconButton>
      <IconButton label={t("conversations:export.action")} disabled={isNone} onClick={save}>
        <Download aria-hidden />
      </IconButton>
      <IconButton label={t("conversations:delete")} disabled={isNone} onClick={remove}>
        <Trash2 aria-hidden />
      </IconButton>
      {moving && (
        <MoveDialog
          chats={chats}
          onClose={() => setMoving(false)}
          onMoved={() => {
            onEnd()
            showToast(t("conversations:pick.moved", { count: chats.length }))
          }}
        />
      )}
    </section>
  )
}
