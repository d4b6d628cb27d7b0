import { t } from "i18next"
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react"
import { useAssistants } from "../../data/assistants.ts"
import { useConversation } from "../../data/conversations.ts"
import { useFolders } from "../../data/folders.ts"
import { useQueue } from "../../data/queue.ts"
import { describeError } from "../../lib/box.ts"
import { useDraft } from "../../lib/draft.ts"
import { navigate } from "../../lib/places/hash-location.ts"
import { routes } from "../../lib/places/routes.ts"
import { useWindowKeys } from "../../lib/keys/shortcut.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { showToast } from "../../lib/toasts.ts"
import { mentionedAssistant } from "./composer/assistant-mention.ts"
import { assistantMentions } from "./composer/assistant-mentions.tsx"
import { AssistantPicker } from "./composer/AssistantPicker.tsx"
import { AssistantWelcome } from "./AssistantWelcome.tsx"
import { AttachmentList } from "./composer/AttachmentList.tsx"
import { attachments, useAdoptedFolder } from "./composer/attachments.ts"
import { ChatHeader } from "./ChatHeader.tsx"
import { useChatSession } from "./session/chat-sessions.ts"
import { shownMessages, type ShownMessage } from "./session/chat-view.ts"
import { Composer } from "./composer/Composer.tsx"
import { DropTarget } from "./composer/DropTarget.tsx"
import { FolderPicker } from "./composer/FolderPicker.tsx"
import { IndexingNote } from "./composer/IndexingNote.tsx"
import { MessageList } from "./MessageList.tsx"
import type { MessageActions } from "./MessageRow.tsx"
import { MissingChat } from "./MissingChat.tsx"
import { OpenFolds } from "./parts/open-folds.ts"
import { useBranchPoints } from "./session/use-branch-points.ts"
import { useFolderMentions } from "./composer/use-folder-mentions.tsx"
import { WaitingList } from "./questions/WaitingList.tsx"
import { askInTurn, useUnsent } from "./questions/ask-in-turn.ts"
import { Welcome } from "./Welcome.tsx"
import { WhyPanel } from "./answer/WhyPanel.tsx"

interface ChatPageProps {
  chatId: string
  /** Nothing of it is stored yet. */
  isNew?: boolean
  /** An earlier version of the conversation to show. */
  branch?: string | undefined
  /** A message to go to. */
  target?: string | undefined
  initialFolderIds?: string[]
  initialAssistantId?: string
  /** The box has taken a question. */
  onAsked?: () => void
  /** Actions on the conversation, for its header. */
  menu?: ReactNode
}

const noMessages: never[] = []

/** A conversation and where it is continued. */
export function ChatPage(props: ChatPageProps) {
  const { chatId, isNew = false, branch, target, initialFolderIds, initialAssistantId, onAsked, menu } = props
  const [session, { phase, turn }] = useChatSession(chatId)
  const conversation = useConversation(chatId, branch, !isNew)
  const queue = useQueue(chatId)
  const unsent = useUnsent(chatId)
  const points = useBranchPoints(chatId, conversation.data)
  const { data: folders } = useFolders()
  const { data: assistants } = useAssistants()
  const [text, setText] = useDraft(isNew ? "new-chat" : chatId)
  const [chosenFolders, setChosenFolders] = useState(initialFolderIds)
  const [chosenAssistant, setChosenAssistant] = useState<string | null | undefined>(initialAssistantId)
  const [editing, setEditing] = useState<string>()
  const [explained, setExplained] = useState<string>()
  const [turnNumber, setTurnNumber] = useState(0)
  const [beginning, setBeginning] = useState(0)
  const [openFolds] = useState(() => new Set<string>())

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

  const stored = conversation.data?.messages ?? noMessages
  const messages = useMemo(() => shownMessages(stored, turn), [stored, turn])
  const isListed = (id: string) => !folders || folders.some((folder) => folder.id === id)
  useAdoptedFolder(
    chatId,
    conversation.data?.vectorIds.find((id) => !isListed(id)),
  )
  const folderIds = (chosenFolders ?? conversation.data?.vectorIds ?? []).filter(isListed)
  // A chat whose first question is on its way isn't stored yet.
  const assistantId = [
    chosenAssistant,
    queue?.at(-1)?.assistantId,
    turn?.assistantId,
    conversation.data?.assistantId,
  ].find((id) => id !== undefined)
  const assistant = assistants?.find(({ id }) => id === assistantId)
  const mentions = [
    ...useFolderMentions(folderIds, setChosenFolders),
    assistantMentions(assistants ?? [], setChosenAssistant),
  ]

  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])

  /** Gives the question to the box. Throws where it isn't taken. */
  async function ask(content: string, after: string | null | undefined): Promise<void> {
    // Who types a handle to its end needn't choose it from the list.
    const mentioned = mentionedAssistant(content, assistants ?? [])
    if (mentioned) setChosenAssistant(mentioned.id)
    setTurnNumber((number) => number + 1)
    const last = after === undefined ? stored.length : stored.findIndex(({ id }) => id === after) + 1
    await askInTurn(chatId, {
      content,
      vector: folderIds,
      assistantId: (mentioned ?? assistant)?.id ?? (assistants ? null : (assistantId ?? null)),
      history: stored.slice(0, last),
      ...(after === undefined ? {} : { after }),
    })
    onAsked?.()
    if (!left.current && (isNew || branch !== undefined || target !== undefined))
      navigate(routes.chat(chatId), { replace: isNew })
  }

  /** The message before the given one; null when that is the first. */
  const before = (messageId: string): string | null =>
    stored[stored.findIndex(({ id }) => id === messageId) - 1]?.id ?? null

  /** Puts a beginning into the composer, which takes the focus. */
  function begin(words: string) {
    setText(words)
    setBeginning(beginning + 1)
  }

  /** Who has chosen a folder goes on to write. */
  function toggleFolder(folderId: string) {
    const chosen = folderIds.includes(folderId)
    setChosenFolders(chosen ? folderIds.filter((id) => id !== folderId) : [...folderIds, folderId])
    if (!chosen) setBeginning(beginning + 1)
  }

  function submit() {
    // What is asked about an earlier version continues that one.
    const shownEnd = branch === undefined ? undefined : stored.at(-1)?.id
    const after = editing === undefined ? shownEnd : before(editing)
    const question = text.trim()
    setEditing(undefined)
    setText("")
    ask(question, after).catch((error: unknown) => {
      showToast(describeError(error), "error")
      if (latest.current.text === "") setText(question)
    })
  }

  function retry(answer: ShownMessage) {
    const question = stored[stored.findIndex(({ id }) => id === answer.key) - 1]
    if (question?.role === "user")
      ask(question.content, before(question.id)).catch((error: unknown) =>
        showToast(describeError(error), "error"),
      )
  }

  /** Starts to ask a question differently. */
  function edit(messageId: string, words: string) {
    setEditing(messageId)
    setText(words)
  }

  const latest = useRef({ retry, edit, text })
  useEffect(() => {
    latest.current = { retry, edit, text }
  })
  const actions = useMemo<MessageActions>(
    () => ({
      edit: ({ key, content }) => latest.current.edit(key, content),
      retry: (answer) => latest.current.retry(answer),
      explain: ({ key }) => setExplained(key),
    }),
    [],
  )
  const lastQuestion = stored.findLast(({ role }) => role === "user")
  const attach = (files: File[]) => attachments.add(chatId, files)

  const isEmpty = queue?.length === 0 && unsent.length === 0
  if (conversation.data === null && !turn && isEmpty && !isNew) return <MissingChat />
  return (
    <>
      <section aria-label={t("chat:chat")} className="flex min-w-0 flex-1 flex-col">
        {!isNew && <ChatHeader conversation={conversation.data} assistant={assistant} menu={menu} />}
        <DropTarget onFiles={attach}>
          {conversation.isPending && !isNew && !turn ? (
            <div className="m-auto text-faint">
              <Spinner label={t("chat:loading")} />
            </div>
          ) : conversation.isError && !turn ? (
            <div className="m-auto max-w-md p-6">
              <Note kind="error">{describeError(conversation.error)}</Note>
            </div>
          ) : messages.length === 0 && isNew && assistant ? (
            <AssistantWelcome assistant={assistant} onChooseText={begin} />
          ) : messages.length === 0 && isNew ? (
            <Welcome chosenIds={folderIds} onChooseFolder={toggleFolder} onChooseText={begin} />
          ) : (
            <OpenFolds value={openFolds}>
              <MessageList
                chatId={chatId}
                messages={messages}
                points={points}
                target={target}
                turnNumber={turnNumber}
                actions={actions}
                idle={!running}
              />
            </OpenFolds>
          )}
          {phase === "reconnecting" && (
            <output className="block pb-2 text-center text-sm text-faint">{t("chat:reconnecting")}</output>
          )}
          <Composer
            key={`${editing ?? ""} ${beginning}`}
            text={text}
            onTextChange={setText}
            onSubmit={submit}
            onAttach={attach}
            onStop={running ? stop : undefined}
            stopping={phase === "stopping"}
            onEditLast={
              running || !lastQuestion ? undefined : () => edit(lastQuestion.id, lastQuestion.content)
            }
            onCancelEdit={
              editing === undefined
                ? undefined
                : () => {
                    setEditing(undefined)
                    setText("")
                  }
            }
            placeholder={folderIds.length > 0 ? t("chat:askDocuments") : t("chat:askAnything")}
            mentions={mentions}
            above={
              <>
                <WaitingList chatId={chatId} entries={queue ?? []} unsent={unsent} folderIds={folderIds} />
                <AttachmentList chatId={chatId} />
                <IndexingNote folderIds={folderIds} />
              </>
            }
          >
            <AssistantPicker
              assistants={assistants ?? []}
              selected={assistant}
              onChange={setChosenAssistant}
            />
            <FolderPicker selected={folderIds} onChange={setChosenFolders} />
          </Composer>
        </DropTarget>
      </section>
      {explained !== undefined && (
        <WhyPanel
          key={explained}
          chatId={chatId}
          messageId={explained}
          onClose={() => setExplained(undefined)}
        />
      )}
    </>
  )
}
