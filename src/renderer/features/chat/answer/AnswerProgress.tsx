import { t } from "i18next"
import { useEffect, useState } from "react"
import { useAssistants } from "../../../data/assistants.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { chatSession } from "../session/chat-sessions.ts"
import { longSeconds } from "../session/live-answer.ts"

/** Whether the component has been on screen for this many milliseconds. */
function useHasLasted(ms: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLasted(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return lasted
}

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

interface LongReadingProps {
  chatId: string
  /** Whether the estimate was long. Otherwise the options appear after the same time. */
  isLong: boolean
  onPassages: () => void
  onStop: () => void
}

/** Options while reading takes long: continue in the background, read less, or stop. */
export function LongReading({ chatId, isLong, onPassages, onStop }: LongReadingProps) {
  const lasts = useHasLasted(longSeconds * 1000)
  function leave() {
    navigate(routes.newChat)
    // From here on, the box notifies the user when the answer is ready, even if this window is closed.
    chatSession(chatId).leave()
    showToast(t("reading:continues"))
  }
  if (!isLong && !lasts) return null
  return (
    <div className="-mt-1 flex flex-wrap gap-2">
      <Button onClick={leave}>{t("reading:background")}</Button>
      <Button variant="quiet" onClick={onPassages}>
        {t("reading:passagesInstead")}
      </Button>
      <Button variant="quiet" onClick={onStop}>
        {t("chat:stop")}
      </Button>
    </div>
  )
}
