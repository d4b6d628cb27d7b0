import { useQuery } from "@tanstack/react-query"
import type { QueueDraft, QueueEntry, QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { box, boxAddress } from "../../lib/box.ts"
import { conversationKey } from "./conversations.ts"
import { queryClient } from "../query-client.ts"

/** Under the conversation's key: what is news of the conversation may be news of what waits in it. */
const queueKey = (chatId: string) => [...conversationKey(chatId), "queue"] as const
const chatsKey = ["chat-queues"] as const

/** Questions that wait in a chat, the next one first; undefined until that is known. */
export function useQueue(chatId: string): QueueEntry[] | undefined {
  const { data } = useQuery({
    queryKey: queueKey(chatId),
    queryFn: async ({ signal }) => (await box.queue.list({ params: { id: chatId } }, { signal })).entries,
    // The list of chats in which questions wait is kept current: in the others none does.
    initialData: () =>
      queryClient.getQueryData<WaitingChat[]>(chatsKey)?.some((chat) => chat.chatId === chatId) === false
        ? []
        : undefined,
    initialDataUpdatedAt: () => queryClient.getQueryState(chatsKey)?.dataUpdatedAt,
  })
  return data
}

/** Keeps what the first screen brought. */
export function knowChatQueues(chats: WaitingChat[]): void {
  queryClient.setQueryData(chatsKey, chats)
}

/** Chats in which questions wait. */
export function useChatQueues() {
  const { data } = useQuery({
    queryKey: chatsKey,
    queryFn: async ({ signal }) => (await box.queue.chats({}, { signal })).chats,
  })
  return data
}

/** Reads anew in which chats questions wait. */
export const refreshChatQueues = (): Promise<void> => queryClient.invalidateQueries({ queryKey: chatsKey })

async function refreshQueue(chatId: string): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: queueKey(chatId) }), refreshChatQueues()])
}

/** Whether it went well or not, the queue may have changed. */
async function andRefresh(chatId: string, change: Promise<unknown>): Promise<void> {
  try {
    await change
  } finally {
    await refreshQueue(chatId)
  }
}

/** Asks when it is the question's turn; whether it is asked now. */
export async function addToQueue(chatId: string, draft: Omit<QueueDraft, "boxAddress">): Promise<boolean> {
  const body = { ...draft, boxAddress: boxAddress() }
  const { entry } = await box.queue.add({ params: { id: chatId }, body })
  await refreshQueue(chatId)
  return entry.waitsFor === null && entry.problem === null
}

export const changeQuestion = (chatId: string, entryId: string, body: QueuePatch): Promise<void> =>
  andRefresh(chatId, box.queue.change({ params: { id: chatId, entryId }, body }))

export const removeQuestion = (chatId: string, entryId: string): Promise<void> =>
  andRefresh(chatId, box.queue.remove({ params: { id: chatId, entryId } }))

/** Lets questions go that are held. */
export const resumeQueue = (chatId: string): Promise<void> =>
  andRefresh(chatId, box.queue.resume({ params: { id: chatId } }))
