import { t } from "i18next"
import { Hand, LoaderCircle } from "lucide-react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useActivity } from "../../data/chats/conversations.ts"

interface ChatMarkProps {
  chat: Pick<ConversationSummary, "id" | "unread">
  /** Whether the chat is on screen, so that its answers are being read. */
  active: boolean
}

/** The mark at the end of a chat's row: a hand if a tool call waits, a circle while an answer is written, a dot if an answer is unread. */
export function ChatMark({ chat: { id, unread }, active }: ChatMarkProps) {
  const { answering, approvals } = useActivity()
  if (approvals.some(({ chatId }) => chatId === id)) {
    return (
      <>
        <Hand className="size-3.5 shrink-0 text-warning" aria-hidden />
        <span className="sr-only">{t("conversations:waitsForYou")}</span>
      </>
    )
  }
  if (answering.includes(id)) {
    return (
      <>
        <LoaderCircle className="size-3.5 shrink-0 animate-spin text-faint" aria-hidden />
        <span className="sr-only">{t("conversations:answering")}</span>
      </>
    )
  }
  if (!unread || active) return null
  return (
    <>
      <span className="size-2 shrink-0 rounded-full bg-accent" aria-hidden />
      <span className="sr-only">{t("conversations:unread")}</span>
    </>
  )
}
