import { t } from "i18next"
import { useState } from "react"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { useRemembered } from "../../../lib/remembered.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Note } from "../../../ui/Note.tsx"
import { useChatSession } from "../session/chat-sessions.ts"
import { shownMessages } from "../session/chat-view.ts"
import { QuickAnswer } from "./QuickAnswer.tsx"
import { QuickComposer } from "./QuickComposer.tsx"

interface QuickChatProps {
  chatId: string
  /** Increases each time the window comes to the front; the question field then gets the focus. */
  shown: number
  onAsked: () => void
}

const isText = (value: unknown): value is string => typeof value === "string"

/** One short chat: the latest question and answer, and a follow-up. */
export function QuickChat({ chatId, shown, onAsked }: QuickChatProps) {
  const [session, { phase, turn }] = useChatSession(chatId)
  const [text, setText] = useState("")
  const [scope, setScope] = useRemembered("quick-ask-scope", "", isText)
  const [asked, setAsked] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const conversation = useConversation(chatId, undefined, asked)
  const { data: folders = [] } = useFolders()

  const messages = shownMessages(conversation.data?.messages ?? [], turn)
  const answer = messages.at(-1)
  const question = messages.findLast(({ role }) => role === "user")

  const folderIds = folders.map(({ id }) => id).filter((id) => scope === "all" || scope === id)

  async function ask() {
    const question = text.trim()
    setFailure(undefined)
    setText("")
    try {
      await session.ask(conversation.data?.messages ?? [], question, folderIds)
      setAsked(true)
      onAsked()
    } catch (error) {
      setFailure(error)
      setText(question)
    }
  }

  return (
    <>
      <QuickComposer
        key={shown}
        text={text}
        onTextChange={setText}
        onSubmit={() => void ask()}
        folders={folders}
        scope={folderIds.length > 0 ? scope : ""}
        onScopeChange={setScope}
        onStop={
          phase === "idle"
            ? undefined
            : () => {
                session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
              }
        }
      />
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        role="log"
        aria-label={t("frame:quickAsk.answer")}
        className="min-h-0 flex-1 overflow-y-auto px-4 pb-4"
      >
        {failure !== undefined && <Note kind="error">{describeError(failure)}</Note>}
        {question && <p className="mb-2 line-clamp-2 text-sm text-soft">{question.content}</p>}
        {answer?.role === "assistant" && (
          <QuickAnswer parts={answer.parts} growing={answer.growing} reading={answer.reading} />
        )}
      </div>
    </>
  )
}
