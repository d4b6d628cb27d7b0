import { usePinnedConversations } from "../../data/chats/conversations.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"

/** Pinned chats that aren't being deleted. */
export function usePinnedChats() {
  const { data } = usePinnedConversations()
  const leaving = chatDeletions.useLeaving()
  return (data?.chats ?? []).filter(({ id }) => !leaving.has(id))
}
