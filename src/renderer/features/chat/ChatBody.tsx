import { t } from "i18next"
import {
  Check,
  FolderPlus,
  type LucideIcon,
  Lightbulb,
  ListChecks,
  PenLine,
  Scale,
  MessageSquare,
} from "lucide-react"
import { Suspense, type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { useAssistant } from "../../data/assistants.ts"
import type { useConversation } from "../../data/chats/conversations.ts"
import { useReadAhead } from "../../data/chats/reading.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { useModels } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { MessageList, type MessageListProps } from "./MessageList.tsx"
import type { Choices } from "./composer/choices/use-choices.ts"
import type { Writing } from "./composer/use-writing.ts"
import { OpenFolds } from "./shown-list.ts"

/** Together with the link to create a folder, these fill two rows of three. */
const shownFolders = 5

const hints = [
  { key: "summary", icon: ListChecks },
  { key: "compare", icon: Scale },
  { key: "explain", icon: Lightbulb },
  { key: "write", icon: PenLine },
] as const satisfies { key: string; icon: LucideIcon }[]

interface WelcomeProps {
  /** Folders already selected. */
  chosenIds: string[]
  /** Keys of the tools already selected. */
  tools: string[]
  /** Suggested questions about the selection, in place of general ones; null if nothing is selected. */
  templates: ReactNode
  onChooseFolder: (folderId: string) => void
  /** Puts the start of a question into the composer. */
  onChooseText: (text: string) => void
}

/** An empty chat: what to ask, and which folders to ask about. */
function Welcome({ chosenIds, tools, templates, onChooseFolder, onChooseText }: WelcomeProps) {
  const { data: folders } = useFolders()
  const { data: models } = useModels()
  const [aboutIds, used] = models?.chat ? [chosenIds, tools] : [[], []]
  useReadAhead({ assistantId: null, folderIds: aboutIds, tools: used })
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center px-6 py-8">
        <h1 className="text-xl font-semibold tracking-tight">{t("chat:welcome.title")}</h1>
        <p className="mt-1 text-soft">
          {folders?.length === 0 ? t("chat:welcome.noFolders") : t("chat:welcome.text")}
        </p>
        {models?.chat === null && (
          <p className="mt-1 text-soft">
            {t("chat:welcome.noModel")}{" "}
            <Link href={routes.moreModels} className="text-accent underline underline-offset-2">
              {t("chat:welcome.getModel")}
            </Link>
          </p>
        )}
        <div className="mt-6 grid grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] gap-2">
          {folders?.slice(0, shownFolders).map((folder) => (
            <FolderCard
              key={folder.id}
              folder={folder}
              chosen={chosenIds.includes(folder.id)}
              onChoose={() => onChooseFolder(folder.id)}
            />
          ))}
          <Link
            href={routes.newFolder}
            className="flex min-h-14 items-center gap-3 rounded-lg border border-dashed border-line-strong px-3 py-2.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
          >
            <FolderPlus className="size-4 shrink-0" aria-hidden /> {t("chat:folders.new")}
          </Link>
        </div>
        <Suspense>{templates ?? <Hints onChoose={onChooseText} />}</Suspense>
        <p className="mt-4 text-xs text-faint">{t("chat:welcome.keys")}</p>
      </div>
    </div>
  )
}

/** Suggested starts of questions. */
function Hints({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <>
      <h2 className="mt-8 text-xs font-medium text-faint">{t("chat:welcome.hints")}</h2>
      <ul className="mt-1 -ml-2 grid grid-cols-[repeat(auto-fill,minmax(16rem,1fr))]">
        {hints.map(({ key, icon: Icon }) => (
          <li key={key}>
            <button
              type="button"
              onClick={() => onChoose(t(`chat:welcome.hint.${key}.text`))}
              className="flex min-h-9 w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
            >
              <Icon className="size-4 shrink-0 text-faint" aria-hidden />{" "}
              {t(`chat:welcome.hint.${key}.label`)}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface FolderCardProps {
  folder: FolderEntry
  chosen: boolean
  onChoose: () => void
}

/** A folder to answer from. Selecting it again deselects it. */
function FolderCard({ folder, chosen, onChoose }: FolderCardProps) {
  const { name, fileCount, pendingCount } = folder
  return (
    <button
      type="button"
      title={name}
      aria-pressed={chosen}
      onClick={onChoose}
      className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 text-left transition-colors hover:border-line-strong hover:bg-hover aria-pressed:border-accent aria-pressed:bg-tint"
    >
      <FolderIcon folder={folder} />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-sm font-medium">{name}</span>
        <span className={`block truncate text-xs ${chosen ? "text-soft" : "text-faint"}`}>
          {pendingCount > 0
            ? t("chat:folders.indexing", { count: pendingCount })
            : t("fileCount", { count: fileCount })}
        </span>
      </span>
      {chosen && <Check className="size-4 shrink-0 text-accent" aria-hidden />}
    </button>
  )
}

interface AssistantWelcomeProps {
  assistant: AssistantEntry
  /** Heading level of its name: a screen's title, or that of a section. */
  heading: "h1" | "h3"
  /** Folders for the first question. */
  folderIds: readonly string[]
  /** Puts a starter prompt into the composer. The prompt may be longer than its label. */
  onChooseText: (text: string) => void
}

/** An empty chat with an assistant: its name and description, and what to ask. */
export function AssistantWelcome({
  assistant,
  heading: Heading,
  folderIds,
  onChooseText,
}: AssistantWelcomeProps) {
  const { data: whole } = useAssistant(assistant.id)
  useReadAhead({ assistantId: assistant.id, folderIds })
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center px-6 py-8">
        <AssistantAvatar assistant={assistant} size="large" />
        <Heading className="mt-4 text-xl font-semibold tracking-tight break-words">{assistant.name}</Heading>
        <p className="mt-1 break-words text-soft">{assistant.description || `@${assistant.handle}`}</p>
        {!assistant.enabled && (
          <div className="mt-4">
            <Note kind="warning">{t("chat:assistant.off", { name: assistant.name })}</Note>
          </div>
        )}
        {whole && whole.suggestions.length > 0 && (
          <ul
            aria-label={t("chat:assistant.starters")}
            className="mt-6 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2"
          >
            {whole.suggestions.map(({ label, prompt }) => (
              // Two identical starters have the same key, but nothing distinguishes them anyway.
              <li key={`${label}\n${prompt}`}>
                <button
                  type="button"
                  title={prompt}
                  onClick={() => onChooseText(prompt)}
                  className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 text-left text-sm transition-colors hover:border-line-strong hover:bg-hover"
                >
                  <MessageSquare className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden />
                  <span className="line-clamp-3 min-w-0 break-words">{label}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

interface ChatBodyProps extends MessageListProps {
  conversation: ReturnType<typeof useConversation>
  /** Whether nothing of the chat is stored yet. */
  isNew: boolean
  /** Whether an answer is being written; its question is already shown. */
  hasTurn: boolean
  choices: Choices
  writing: Writing
  /** Suggested questions about the selection; null if nothing is selected. */
  templates: ReactNode
}

/** The area above the composer: the messages, a welcome if there are none yet, or why they can't be shown. */
export function ChatBody(props: ChatBodyProps) {
  const { conversation, isNew, hasTurn, choices, writing, templates, ...list } = props
  const { folderIds, chooseFolders } = choices
  const [openFolds] = useState(() => new Set<string>())

  /** After a folder is selected, the focus moves to the composer. */
  function toggleFolder(folderId: string) {
    const chosen = folderIds.includes(folderId)
    chooseFolders(chosen ? folderIds.filter((id) => id !== folderId) : [...folderIds, folderId])
    if (!chosen) writing.focus()
  }

  if (conversation.isPending && !isNew && !hasTurn)
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("chat:loading")} />
      </div>
    )
  if (conversation.isError && !hasTurn)
    return (
      <div className="m-auto max-w-md p-6">
        <Note kind="error">{describeError(conversation.error)}</Note>
      </div>
    )
  if (list.messages.length === 0 && isNew)
    return choices.assistant ? (
      <AssistantWelcome
        heading="h1"
        assistant={choices.assistant}
        folderIds={folderIds}
        onChooseText={writing.begin}
      />
    ) : (
      <Welcome
        chosenIds={folderIds}
        tools={choices.tools}
        templates={templates}
        onChooseFolder={toggleFolder}
        onChooseText={writing.begin}
      />
    )
  return (
    <OpenFolds value={openFolds}>
      <MessageList {...list} />
    </OpenFolds>
  )
}
