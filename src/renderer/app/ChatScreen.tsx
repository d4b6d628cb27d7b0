import { useSearchParams } from "wouter"
import { useConversation } from "../data/conversations.ts"
import { ChatPage } from "../features/chat/ChatPage.tsx"
import { ConversationMenu } from "../features/conversations/ConversationMenu.tsx"

/** A stored conversation with the actions of the conversation list. */
export function ChatScreen({ chatId }: { chatId: string }) {
  const [search] = useSearchParams()
  const branch = search.get("branch") ?? undefined
  const { data: conversation } = useConversation(chatId, branch, true)
  return (
    <ChatPage
      chatId={chatId}
      branch={branch}
      menu={conversation && <ConversationMenu chatId={chatId} title={conversation.title} />}
    />
  )
}
