import { t } from "i18next"
import { MessageSquareOff, Paperclip, TextSearch } from "lucide-react"
import { type ReactNode, Suspense, useMemo, useRef, useState, useEffect } from "react"
import { v7 as newId } from "uuid"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { useConversation } from "../../data/chats/conversations.ts"
import { useQueue } from "../../data/chats/queue.ts"
import { useProject } from "../../data/projects.ts"
import { shortcutName } from "../../lib/keys/shortcut.ts"
import { later } from "../../lib/later.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { useShownDocument } from "../../lib/navigation/open-document.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { moveDraft, readDraft, writeDraft } from "../../lib/remembered.ts"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { DropArea } from "../../ui/controls/FileInput.tsx"
import { ToastAnchor } from "../../ui/layers/Toaster.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { ChatBody } from "./ChatBody.tsx"
import { ChatComposer } from "./ChatComposer.tsx"
import type { ChosenFile } from "./composer/ChosenFiles.tsx"
import { attachments } from "./composer/attachments/attachments.ts"
import { useChoices } from "./composer/choices/use-choices.ts"
import { useWriting } from "./composer/use-writing.ts"
import { useFinding } from "./find/use-finding.ts"
import { useUnsent, useAsking, useMessageActions } from "./questions/use-asking.ts"
import { useBranchPoints } from "./session/branch-points.ts"
import { useRunningAnswer } from "./session/chat-sessions.ts"
import { type ShownMessage, shownMessages } from "./session/chat-view.ts"
import type { ShownList } from "./shown-list.ts"

/** Shown for a chat that doesn't exist. */
function MissingChat() {
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:notFound.name")} />
      <EmptyState
        icon={MessageSquareOff}
        title={t("chat:missing.title")}
        action={<ButtonLink href={routes.newChat}>{t("chat:missing.action")}</ButtonLink>}
      >
        {t("chat:missing.text")}
      </EmptyState>
    </section>
  )
}

interface DropTargetProps {
  onFiles: (files: File[]) => void
  children: ReactNode
}

/** Accepts files dropped anywhere on the chat. Directories must be added to folders instead. */
function DropTarget({ onFiles, children }: DropTargetProps) {
  function drop({ items }: DataTransfer) {
    const files = [...items].flatMap((item) =>
      item.webkitGetAsEntry()?.isFile === true ? (item.getAsFile() ?? []) : [],
    )
    if (files.length > 0) onFiles(files)
  }
  return (
    <DropArea invitation={t("chat:attach.drop")} icon={Paperclip} onDrop={drop}>
      {children}
    </DropArea>
  )
}

const Outline = later(async () => (await import("./outline/Outline.tsx")).Outline)
const ProjectChip = later(async () => (await import("./ProjectChip.tsx")).ProjectChip)

/** Minimum number of questions for an outline; fewer fit on one screen. */
const outlinedFrom = 3

interface ChatHeaderProps {
  conversation: Conversation | null | undefined
  projectId: string | null | undefined
  /** The assistant that answers. */
  assistant: AssistantEntry | undefined
  messages: readonly ShownMessage[]
  onFind: () => void
  /** Returns the index of the message being read. */
  readAt: () => number
  onGoTo: (index: number) => void
  menu: ReactNode
}

/** The chat's title, project, assistant and actions. */
function ChatHeader(props: ChatHeaderProps) {
  const { conversation, projectId, assistant, messages, onFind, readAt, onGoTo, menu } = props
  const questions = messages.filter(({ role }) => role === "user").length
  return (
    <PageHeader title={conversation?.title ?? t("chat:newChat")}>
      {projectId != null && (
        <Suspense>
          <ProjectChip projectId={projectId} titled={conversation != null} />
        </Suspense>
      )}
      {assistant && (
        <span
          title={t("chat:assistant.chosen", { name: assistant.name })}
          className="flex max-w-48 min-w-0 items-center gap-2 text-sm text-soft"
        >
          <AssistantAvatar assistant={assistant} size="small" />
          <span className="truncate">{assistant.name}</span>
        </span>
      )}
      {conversation && (
        <>
          {questions >= outlinedFrom && (
            <Suspense>
              <Outline messages={messages} readAt={readAt} onGoTo={onGoTo} />
            </Suspense>
          )}
          <IconButton label={t("chat:find")} keys={shortcutName("find")} onClick={onFind}>
            <TextSearch aria-hidden />
          </IconButton>
          {menu}
        </>
      )}
    </PageHeader>
  )
}

interface ChatPageProps {
  chatId: string
  /** Whether nothing of the chat is stored yet. */
  isNew?: boolean
  /** An earlier version of the chat to show. */
  branch?: string | undefined
  /** The ID of a message to scroll to. */
  target?: string | undefined
  initialFolderIds?: string[]
  initialFiles?: ChosenFile[]
  initialAssistantId?: string
  /** The project of a new chat. */
  projectId?: string | undefined
  /** Called when the box has accepted a question. */
  onAsked?: () => void
  /** Actions for the chat, shown in its header. */
  menu?: ReactNode
}

const noMessages: never[] = []
const newDraft = "new-chat"

const WhyPanel = later(async () => (await import("./answer/sources/WhyPanel.tsx")).WhyPanel)
const Templates = later(async () => (await import("./templates/Templates.tsx")).Templates)

/** A chat and its composer. */
export function ChatPage(props: ChatPageProps) {
  const { chatId, isNew = false, branch, target, initialFolderIds, initialAssistantId } = props
  const { initialFiles, onAsked, menu } = props
  const conversation = useConversation(chatId, branch, !isNew)
  const answer = useRunningAnswer(chatId, conversation.dataUpdatedAt)
  const { turn } = answer
  const queue = useQueue(chatId)
  const unsent = useUnsent(chatId)
  const projectId = isNew ? props.projectId : conversation.data?.projectId
  const project = useProject(projectId)
  const points = useBranchPoints(chatId, conversation.data)
  const finding = useFinding()
  const list = useRef<ShownList>(null)
  const [explained, explain] = useExplained()

  const stored = conversation.data?.messages ?? noMessages
  const messages = useMemo(() => shownMessages(stored, turn), [stored, turn])
  const taken = useMemo(() => {
    const messageFileIds = messages.flatMap(({ files }) => files.map(({ fileId }) => fileId))
    return new Set([...messageFileIds, ...(queue ?? []).flatMap((entry) => entry.attachments ?? [])])
  }, [messages, queue])
  // A chat whose first question is being sent isn't stored yet.
  const initialProject = isNew ? project : undefined
  const latestAssistants = [queue?.at(-1), turn, conversation.data, initialProject].map(
    (latest) => latest?.assistantId,
  )
  const lastAsked = stored.findLast(({ role }) => role === "user")
  const choices = useChoices(
    chatId,
    isNew,
    { folderIds: initialFolderIds, files: initialFiles, assistantId: initialAssistantId },
    {
      folderIds: queue?.at(-1)?.vector ?? conversation.data?.vectorIds ?? initialProject?.vectorIds,
      filter: queue?.at(-1)?.filter ?? lastAsked?.filter ?? undefined,
      files: lastAsked?.askedFiles ?? undefined,
      assistantId: latestAssistants.find((id) => id !== undefined),
      modelId: queue?.at(-1)?.modelId ?? conversation.data?.modelId,
      builtInTools: queue?.at(-1)?.builtInTools ?? conversation.data?.builtInTools,
    },
  )
  const writing = useWriting(isNew ? newDraft : chatId)
  const { submit, continueAnswer, askWhole, retry, askPassages, turnNumber } = useAsking({
    chatId,
    stored,
    isBranch: branch !== undefined,
    taken,
    choices,
    projectId: project?.id,
    writing,
    onTaken(left) {
      onAsked?.()
      if (!left && isNew) moveDraft(newDraft, chatId)
      if (!left && (isNew || branch !== undefined || target !== undefined))
        navigate(routes.chat(chatId), { replace: isNew })
    },
  })
  const actions = useMessageActions({
    edit: ({ key, content }) => writing.edit(key, content),
    retry,
    explain,
    continueAnswer,
    stop: answer.stop,
    askPassages,
  })

  const attach = (files: File[]) => attachments.add(chatId, files, projectId ?? undefined)

  const isEmpty = queue?.length === 0 && unsent.length === 0
  if (conversation.data === null && !turn && isEmpty && !isNew) return <MissingChat />
  return (
    <>
      <section aria-label={t("chat:chat")} className="flex min-w-0 flex-1 flex-col">
        {(!isNew || project) && (
          <ChatHeader
            conversation={conversation.data}
            projectId={projectId}
            assistant={choices.assistant}
            messages={messages}
            onFind={finding.start}
            readAt={() => list.current?.readAt() ?? 0}
            onGoTo={(index) => {
              list.current?.goTo(index)
              list.current?.scroller()?.focus()
            }}
            menu={menu}
          />
        )}
        <DropTarget onFiles={attach}>
          <ChatBody
            conversation={conversation}
            isNew={isNew}
            hasTurn={turn !== undefined}
            choices={choices}
            writing={writing}
            templates={choices.reading && <Templates chatId={chatId} choices={choices} onAsk={askWhole} />}
            chatId={chatId}
            messages={messages}
            points={points}
            target={target}
            turnNumber={turnNumber}
            actions={actions}
            idle={!answer.running}
            finding={finding}
            listRef={list}
          />
          {answer.phase === "reconnecting" && (
            <output className="block pb-2 text-center text-sm text-faint">{t("chat:reconnecting")}</output>
          )}
          <ToastAnchor className="mx-auto max-w-3xl px-6" />
          <ChatComposer
            chatId={chatId}
            writing={writing}
            choices={choices}
            project={project ?? undefined}
            answer={answer}
            lastQuestion={stored.findLast(({ role }) => role === "user")}
            newFiles={
              conversation.isPending && !isNew ? undefined : { since: stored.at(-1)?.createdAt, taken }
            }
            queue={queue}
            unsent={unsent}
            onSubmit={submit}
            onAttach={attach}
          />
        </DropTarget>
      </section>
      {explained !== undefined && (
        <Suspense>
          <WhyPanel
            key={explained.key}
            chatId={chatId}
            answer={explained}
            onClose={() => explain(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

/** The answer whose sources are explained next to the chat. There is no room for that and a document, so each replaces the other. */
function useExplained() {
  const [explained, setExplained] = useState<ShownMessage>()
  const { shown, close } = useShownDocument()
  const hasDocument = shown !== undefined
  const [hadDocument, setHadDocument] = useState(hasDocument)
  if (hasDocument !== hadDocument) {
    setHadDocument(hasDocument)
    if (hasDocument) setExplained(undefined)
  }
  function explain(answer: ShownMessage | undefined) {
    if (answer && hasDocument) close()
    setExplained(answer)
  }
  return [explained, explain] as const
}

const draftName = "new-chat-id"

interface NewChatProps {
  folderId: string | undefined
  /** Files in the folder to which the question is limited. */
  fileIds?: string[] | undefined
  assistantId: string | undefined
  projectId?: string | undefined
}

/** A chat that starts with its first question. Its ID is kept until then, because it may already have files. */
export function NewChat({ folderId, fileIds, assistantId, projectId }: NewChatProps) {
  const [chatId] = useState(() => readDraft(draftName) || newId())
  useEffect(() => writeDraft(draftName, chatId), [chatId])
  return (
    <ChatPage
      chatId={chatId}
      isNew
      projectId={projectId}
      onAsked={() => writeDraft(draftName, "")}
      {...(folderId === undefined
        ? {}
        : { initialFolderIds: [folderId], initialFiles: filesIn(folderId, fileIds ?? []) })}
      {...(assistantId === undefined ? {} : { initialAssistantId: assistantId })}
    />
  )
}

const filesIn = (vectorId: string, fileIds: readonly string[]) =>
  fileIds.map((fileId) => ({ fileId, vectorId }))
