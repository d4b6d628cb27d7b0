import { useEffect } from "react"
import { useSearchParams } from "wouter"
import { markChatRead, useConversation } from "../data/chats/conversations.ts"
import { ChatPage } from "../features/chat/ChatPage.tsx"
import { ConversationMenu } from "../features/conversations/ConversationMenu.tsx"

/** A stored chat with the actions of the chat list. */
export function ChatScreen({ chatId }: { chatId: string }) {
  const [search] = useSearchParams()
  const branch = search.get("branch") ?? undefined
  const message = search.get("message") ?? undefined
  const { data: shown } = useConversation(chatId, branch, true)
  // A search result may be in an earlier version, which is then shown as the current one.
  const isInOtherVersion =
    message !== undefined && shown != null && !shown.messages.some(({ id }) => id === message)
  const version = isInOtherVersion ? message : branch
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
 * Marks a chat as read while it is on screen and the page is in the foreground. Runs again on each change of `unreadSince`, because an
 * answer may end while the previous one is being marked.
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
