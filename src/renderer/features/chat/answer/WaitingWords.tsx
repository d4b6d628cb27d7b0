import { t } from "i18next"
import { useHasLasted } from "../../../lib/has-lasted.ts"
import { useAssistants } from "../../../data/assistants.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useFolders } from "../../../data/folders/folders.ts"

const longMs = 4000

interface WaitingWordsProps {
  chatId: string
  assistantId: string | undefined
  /** Number of passages found for the answer. */
  found: number
}

/** Progress before an answer has text: files are searched, then the passages are read. Without either, the user waits for the model. */
export function WaitingWords({ chatId, assistantId, found }: WaitingWordsProps) {
  const files = useSearchedFiles(chatId, assistantId)
  const isLong = useHasLasted(longMs)
  const words =
    found > 0
      ? t("longChats:waiting.reading", { count: found })
      : files > 0
        ? t("longChats:waiting.searching", { count: files })
        : isLong && t("longChats:waiting.model")
  return (
    words !== false && (
      <span aria-live="off" className="text-sm text-soft">
        {words}
      </span>
    )
  )
}

/** Number of files that the current question covers, as far as the page knows. */
function useSearchedFiles(chatId: string, assistantId: string | undefined): number {
  const { data: chat } = useConversation(chatId, undefined, true)
  const { data: folders = [] } = useFolders()
  const { data: assistants = [] } = useAssistants()
  const asked = chat?.messages.findLast(({ role }) => role === "user")?.askedFiles
  if (asked) return asked.length
  const assistantFolderIds = assistants.find(({ id }) => id === assistantId)?.vectorIds ?? []
  const ids = new Set([...(chat?.vectorIds ?? []), ...assistantFolderIds])
  return folders.reduce((sum, { id, fileCount }) => sum + (ids.has(id) ? fileCount : 0), 0)
}
