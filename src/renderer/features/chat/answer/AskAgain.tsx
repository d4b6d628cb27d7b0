import { t } from "i18next"
import { RotateCcw } from "lucide-react"
import { useAreFilesRead } from "../../../data/chats/reading.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useQueue } from "../../../data/chats/queue.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"

interface AskAgainProps {
  chatId: string
  messageId: string
  onAsk: () => void
}

/** Offers to ask a chat's newest question again, after the files missing from its answer have been read. */
export function AskAgain({ chatId, messageId, onAsk }: AskAgainProps) {
  const { data: chat } = useConversation(chatId, undefined, true)
  const queue = useQueue(chatId)
  const areRead = useAreFilesRead(chatId, messageId)
  // An earlier version has already been asked again, and so has one whose question is queued.
  const isNewest = chat?.messages.at(-1)?.id === messageId
  if (!areRead || !isNewest || queue?.length !== 0) return null
  return (
    <Note
      kind="info"
      action={
        <Button onClick={onAsk}>
          <RotateCcw aria-hidden /> {t("longChats:askAgain")}
        </Button>
      }
    >
      {t("longChats:areIn")}
    </Note>
  )
}
