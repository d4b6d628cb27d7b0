import { t } from "i18next"
import { useState, type ReactNode } from "react"
import type { useConversation } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AssistantWelcome } from "./AssistantWelcome.tsx"
import type { Choices } from "./composer/choices/use-choices.ts"
import type { Writing } from "./composer/use-writing.ts"
import { MessageList, type MessageListProps } from "./MessageList.tsx"
import { OpenFolds } from "./parts/open-folds.ts"
import { Welcome } from "./Welcome.tsx"

interface ChatBodyProps extends MessageListProps {
  conversation: ReturnType<typeof useConversation>
  /** Nothing of the chat is stored yet. */
  isNew: boolean
  /** An answer is being written, whose question is shown. */
  hasTurn: boolean
  choices: Choices
  writing: Writing
  /** Questions about what is chosen; null where nothing is. */
  templates: ReactNode
}

/** What stands over the composer: the messages, what is said where there are none yet, or why they can't be shown. */
export function ChatBody(props: ChatBodyProps) {
  const { conversation, isNew, hasTurn, choices, writing, templates, ...list } = props
  const { folderIds, chooseFolders } = choices
  const [openFolds] = useState(() => new Set<string>())

  /** Who has chosen a folder goes on to write. */
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
