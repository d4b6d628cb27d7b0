import { usePinnedConversations } from "../../data/conversations.ts"
import { chatDeletions } from "../../data/chat-deletions.ts"

/** Chats that are pinned and not on their way out. */
export function usePinnedChats() {
  const { data } = usePinnedConversations()
  const leaving = chatDeletions.useLeaving()
  return (data?.chats ?? []).filter(({ id }) => !leaving.has(id))
}
