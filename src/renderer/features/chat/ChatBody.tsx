import { t } from "i18next"
import { useState, type ReactNode } from "react"
import type { useConversation } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { AssistantWelcome } from "./AssistantWelcome.tsx"
import type { Choices } from "./composer/choices/use-choices.ts"
import type { Writing } from "./composer/use-writing.ts"
import { MessageList, type MessageListProps } from "./MessageList.tsx"
import { OpenFolds } from "./parts/open-folds.ts"
import { Welcome } from "./Welcome.tsx"

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
