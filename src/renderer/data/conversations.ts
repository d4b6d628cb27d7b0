import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query"
import { box, hasCode } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

const listKey = ["conversations"] as const
const conversationKey = (chatId: string) => ["conversation", chatId] as const
const pageSize = 100

/** Conversations by last change, a page at a time, filtered by title. */
export function useConversations(search: string) {
  return useInfiniteQuery({
    queryKey: [...listKey, search],
    queryFn: ({ pageParam, signal }) =>
      box.conversations.list(
        { query: { limit: pageSize, offset: pageParam, ...(search === "" ? {} : { search }) } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
    placeholderData: keepPreviousData,
  })
}

/** One conversation, or one of its earlier branches; null when there is none. */
export function useConversation(chatId: string, branch: string | undefined, enabled: boolean) {
  return useQuery({
    queryKey: [...conversationKey(chatId), branch ?? ""],
    queryFn: async ({ signal }) => {
      const query = branch === undefined ? {} : { branch }
      try {
        return (await box.conversations.read({ params: { id: chatId }, query }, { signal })).chat
      } catch (error) {
        if (hasCode(error, "not_found")) return null
        throw error
      }
    },
    enabled,
  })
}

/** Reads what changed in a conversation, and the list it stands in. */
export async function refreshConversation(chatId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: conversationKey(chatId) }),
    refreshConversationList(),
  ])
}

export const refreshConversationList = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: listKey })

export function useRenameConversation() {
  return useMutation({
    mutationFn: ({ chatId, title }: { chatId: string; title: string }) =>
      box.conversations.update({ params: { id: chatId }, body: { title } }),
    onSuccess: (_, { chatId }) => refreshConversation(chatId),
  })
}

export function useDeleteConversation() {
  return useMutation({
    mutationFn: (chatId: string) => box.conversations.remove({ params: { id: chatId } }),
    onSuccess: (_, chatId) => {
      queryClient.removeQueries({ queryKey: conversationKey(chatId) })
      return refreshConversationList()
    },
  })
}
