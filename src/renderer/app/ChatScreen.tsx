import { useEffect } from "react"
import { useSearchParams } from "wouter"
import { markChatRead, useConversation } from "../data/chats/conversations.ts"
import { ChatPage } from "../features/chat/ChatPage.tsx"
import { ConversationMenu } from "../features/conversations/ConversationMenu.tsx"

/** A stored conversation with the actions of the conversation list. */
export function ChatScreen({ chatId }: { chatId: string }) {
  const [search] = useSearchParams()
  const branch = search.get("branch") ?? undefined
  const message = search.get("message") ?? undefined
  const { data: shown } = useConversation(chatId, branch, true)
  // What search found may stand in an earlier version, whose end it then is for now.
  const elsewhere = message !== undefined && shown != null && !shown.messages.some(({ id }) => id === message)
  const version = elsewhere ? message : branch
  const { data: conversation } = useConversation(chatId, version, true)
  useMarkRead(chatId, conversation?.unread === true ? conversation.updatedAt : undefined)
  return (
    <ChatPage
      chatId={chatId}
      branch={version}
      target={message}
      menu={conversation && <ConversationMenu chat={conversation} />}
    />
  )
}

/**
 * Whoever has the chat on screen has read it; a page in the background has no reader. An answer may end while it is
 * being said of the one before.
 */
function useMarkRead(chatId: string, unreadSince: string | undefined): void {
  useEffect(() => {
    if (unreadSince === undefined) return
    const mark = () => {
      if (document.visibilityState === "visible") void markChatRead(chatId)
    }
    mark()
    document.addEventListener("visibilitychange", mark)
    return () => document.removeEventListener("visibilitychange", mark)
  }, [chatId, unreadSince])
}
