import { useEffect, useState } from "react"
import { v7 as newId } from "uuid"
import { readDraft, writeDraft } from "../../lib/draft.ts"
import { ChatPage } from "./ChatPage.tsx"

const draftName = "new-chat-id"

interface NewChatProps {
  folderId: string | undefined
  assistantId: string | undefined
}

/** A conversation that begins with its first question. Until then its id is kept, because it may have files already. */
export function NewChat({ folderId, assistantId }: NewChatProps) {
  const [chatId] = useState(() => readDraft(draftName) || newId())
  useEffect(() => writeDraft(draftName, chatId), [chatId])
  return (
    <ChatPage
      chatId={chatId}
      isNew
      onAsked={() => writeDraft(draftName, "")}
      {...(folderId === undefined ? {} : { initialFolderIds: [folderId] })}
      {...(assistantId === undefined ? {} : { initialAssistantId: assistantId })}
    />
  )
}
