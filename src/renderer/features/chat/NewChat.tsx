import { useEffect, useState } from "react"
import { v7 as newId } from "uuid"
import { readDraft, writeDraft } from "../../lib/remembered.ts"
import { ChatPage } from "./ChatPage.tsx"

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
