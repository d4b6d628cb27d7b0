import { useQuery } from "@tanstack/react-query"
import type { QueueDraft, QueueEntry, QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { box, boxAddress } from "../../lib/box.ts"
import { conversationKey } from "./conversations.ts"
import { queryClient } from "../query-client.ts"

/** Nested under the chat's key, because news about the chat may also concern its queue. */
const queueKey = (chatId: string) => [...conversationKey(chatId), "queue"] as const
const chatsKey = ["chat-queues"] as const

/** A chat's queued questions, next one first; undefined while loading. */
export function useQueue(chatId: string): QueueEntry[] | undefined {
  const { data } = useQuery({
    queryKey: queueKey(chatId),
    queryFn: async ({ signal }) => (await box.queue.list({ params: { id: chatId } }, { signal })).entries,
    // The list of chats with queued questions is kept current, so the queue of any other chat is empty.
    initialData: () =>
      queryClient.getQueryData<WaitingChat[]>(chatsKey)?.some((chat) => chat.chatId === chatId) === false
        ? []
        : undefined,
    initialDataUpdatedAt: () => queryClient.getQueryState(chatsKey)?.dataUpdatedAt,
  })
  return data
}

/** Caches the list from the first screen. */
export function cacheChatQueues(chats: WaitingChat[]): void {
  queryClient.setQueryData(chatsKey, chats)
}

/** Chats with queued questions. */
export function useChatQueues() {
  const { data } = useQuery({
    queryKey: chatsKey,
    queryFn: async ({ signal }) => (await box.queue.chats({}, { signal })).chats,
  })
  return data
}

/** Reloads the list of chats with queued questions. */
export const refreshChatQueues = (): Promise<void> => queryClient.invalidateQueries({ queryKey: chatsKey })

async function refreshQueue(chatId: string): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: queueKey(chatId) }), refreshChatQueues()])
}

/** Reloads the queue even after a failure, because it may have changed. */
async function refreshAfter(chatId: string, change: Promise<unknown>): Promise<void> {
  try {
    await change
  } finally {
    await refreshQueue(chatId)
  }
}

/** Queues a question. Returns whether it is asked immediately. */
export async function addToQueue(chatId: string, draft: Omit<QueueDraft, "boxAddress">): Promise<boolean> {
  const body = { ...draft, boxAddress: boxAddress() }
  const { entry } = await box.queue.add({ params: { id: chatId }, body })
  await refreshQueue(chatId)
  return entry.waitsFor === null && entry.problem === null
}

export const changeQuestion = (chatId: string, entryId: string, body: QueuePatch): Promise<void> =>
  refreshAfter(chatId, box.queue.change({ params: { id: chatId, entryId }, body }))

export const removeQuestion = (chatId: string, entryId: string): Promise<void> =>
  refreshAfter(chatId, box.queue.remove({ params: { id: chatId, entryId } }))

/** Releases questions that are on hold. */
export const resumeQueue = (chatId: string): Promise<void> =>
  refreshAfter(chatId, box.queue.resume({ params: { id: chatId } }))
