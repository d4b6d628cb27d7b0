import { MessageSquareOff } from "lucide-react"
import { useEffect, useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { StoredMessage } from "../../../shared/contract/conversations.ts"
import { useConversation } from "../../data/conversations.ts"
import { useFolders } from "../../data/folders.ts"
import { describeError } from "../../lib/box.ts"
import { useDraft } from "../../lib/draft.ts"
import { routes } from "../../lib/routes.ts"
import { useWindowKeys } from "../../lib/shortcut.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { showToast } from "../../ui/toasts.ts"
import { AskFailure } from "./AskFailure.tsx"
import { ChatHeader } from "./ChatHeader.tsx"
import { useChatSession } from "./chat-sessions.ts"
import { shownMessages, type ShownMessage } from "./chat-view.ts"
import { Composer } from "./Composer.tsx"
import { MessageList } from "./MessageList.tsx"
import { Welcome } from "./Welcome.tsx"

interface ChatPageProps {
  chatId: string
  /** Nothing of it is stored yet. */
  isNew?: boolean
  /** An earlier version of the conversation to show. */
  branch?: string | undefined
  initialFolderIds?: string[]
  /** Called when the box has taken the question. */
  onAsked?: () => void
  /** Actions on the conversation, for its header. */
  menu?: ReactNode
}

/** A conversation and where it is continued. */
export function ChatPage(props: ChatPageProps) {
  const { chatId, isNew = false, branch, initialFolderIds, onAsked, menu } = props
  const [session, { phase, turn }] = useChatSession(chatId)
  const conversation = useConversation(chatId, branch, !isNew)
  const { data: folders } = useFolders()
  const [text, setText] = useDraft(isNew ? "new-chat" : chatId)
  const [chosenFolders, setChosenFolders] = useState(initialFolderIds)
  const [editing, setEditing] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  const [turnNumber, setTurnNumber] = useState(0)

  // News of the chat has it read again; then an answer may be running that another window asked for.
  const { dataUpdatedAt } = conversation
  useEffect(() => {
    if (dataUpdatedAt === 0) return
    session.attach().catch((error: unknown) => showToast(describeError(error), "error"))
  }, [session, dataUpdatedAt])

  const running = phase !== "idle"
  const stop = () => {
    session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
  }
  useWindowKeys((event) => {
    if (event.key !== "Escape" || !running) return
    event.preventDefault()
    stop()
  })

  const stored = conversation.data?.messages ?? []
  const messages = shownMessages(stored, turn)
  const folderIds = (chosenFolders ?? conversation.data?.vectorIds ?? []).filter(
    (id) => !folders || folders.some((folder) => folder.id === id), // one may have been deleted since
  )

  async function ask(history: StoredMessage[], question: string) {
    setFailure(undefined)
    setEditing(undefined)
    setText("")
    setTurnNumber((number) => number + 1)
    try {
      await session.ask(history, question, folderIds)
      onAsked?.()
    } catch (error) {
      setFailure(error)
      setText(question)
    }
  }

  const before = (messageId: string) =>
    stored.slice(
      0,
      stored.findIndex(({ id }) => id === messageId),
    )

  function retry(answer: ShownMessage) {
    const history = before(answer.key)
    const question = history.at(-1)
    if (question?.role === "user") void ask(history.slice(0, -1), question.content)
  }

  if (conversation.data === null && !turn) return <MissingChat />
  return (
    <section aria-label="Chat" className="flex min-w-0 flex-1 flex-col">
      {!isNew && <ChatHeader chatId={chatId} conversation={conversation.data} branch={branch} menu={menu} />}
      {conversation.isPending && !isNew && !turn ? (
        <div className="m-auto text-faint">
          <Spinner label="Loading the conversation" />
        </div>
      ) : conversation.isError && !turn ? (
        <div className="m-auto max-w-md p-6">
          <Note kind="error">{describeError(conversation.error)}</Note>
        </div>
      ) : messages.length === 0 && isNew ? (
        <Welcome onChoose={(folderId) => setChosenFolders([folderId])} />
      ) : (
        <MessageList
          messages={messages}
          turnNumber={turnNumber}
          onEdit={
            running
              ? undefined
              : (message) => {
                  setEditing(message.key)
                  setText(message.content)
                }
          }
          onRetry={running ? undefined : retry}
        />
      )}
      {phase === "reconnecting" && (
        <output className="block pb-2 text-center text-sm text-faint">
          The connection was lost. Reconnecting…
        </output>
      )}
      {failure !== undefined && <AskFailure error={failure} />}
      <Composer
        key={editing}
        text={text}
        onTextChange={setText}
        onSubmit={() => void ask(editing === undefined ? stored : before(editing), text.trim())}
        folderIds={folderIds}
        onFoldersChange={setChosenFolders}
        onStop={running ? stop : undefined}
        stopping={phase === "stopping"}
        onCancelEdit={
          editing === undefined
            ? undefined
            : () => {
                setEditing(undefined)
                setText("")
              }
        }
      />
    </section>
  )
}

function MissingChat() {
  return (
    <EmptyState
      icon={MessageSquareOff}
      title="This chat doesn’t exist"
      action={
        <Link href={routes.newChat} className="rounded text-sm font-medium text-accent">
          Start a new chat
        </Link>
      }
    >
      It may have been deleted, or the link is incomplete.
    </EmptyState>
  )
}
