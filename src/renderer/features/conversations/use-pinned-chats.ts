import { usePinnedConversations } from "../../data/chats/conversations.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"

/** Chats that are pinned and not on their way out. */
export function usePinnedChats() {
  const { data } = usePinnedConversations()
  const leaving = chatDeletions.useLeaving()
  return (data?.chats ?? []).filter(({ id }) => !leaving.has(id))
}
