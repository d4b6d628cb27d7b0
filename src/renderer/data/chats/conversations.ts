import { keepPreviousData, useInfiniteQuery, useMutation, useQueries, useQuery } from "@tanstack/react-query"
import type {
  Branch,
  Conversation,
  ConversationPatch,
  ConversationSummary,
  StoredMessage,
} from "../../../shared/contract/conversations.ts"
import { box, hasCode } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const listKey = ["conversations"] as const
/** The cache key for everything about a chat. */
export const conversationKey = (chatId: string) => ["conversation", chatId] as const
const pageSize = 100
const textHits = 20

/** Chats by last change, pinned ones first, one page at a time, filtered by title. */
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

/** Caches the first page from the first screen. */
export function cacheConversations(page: Awaited<ReturnType<typeof box.conversations.list>>): void {
  queryClient.setQueryData([...listKey, ""], { pages: [page], pageParams: [0] })
}

const projectPage = 50

/** A project's chats by last change, one page at a time. */
export const useProjectChats = (projectId: string) => useGroupChats({ projectId })

/** An import's chats, one page at a time. */
export const useImportedChats = (importId: string) => useGroupChats({ importId })

/** Fetches all chats of an import. */
export async function fetchImportedChats(importId: string): Promise<ConversationSummary[]> {
  const all: ConversationSummary[] = []
  for (;;) {
    const query = { limit: pageSize, offset: all.length, importId }
    const { chats, pagination } = await box.conversations.list({ query })
    all.push(...chats)
    if (!pagination.hasMore || chats.length === 0) return all
  }
}

function useGroupChats(group: { projectId: string } | { importId: string }) {
  return useInfiniteQuery({
    queryKey: [...listKey, "of", group],
    queryFn: ({ pageParam, signal }) =>
      box.conversations.list({ query: { limit: projectPage, offset: pageParam, ...group } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
  })
}

const pinnedKey = [...listKey, "", "pinned"] as const
const maxPinned = 50

/** The first pinned chats, by last change. */
export function usePinnedConversations() {
  return useQuery({
    queryKey: pinnedKey,
    queryFn: ({ signal }) =>
      box.conversations.list({ query: { limit: maxPinned, offset: 0, pinned: true } }, { signal }),
  })
}

export function cachePinnedConversations(page: Awaited<ReturnType<typeof box.conversations.list>>): void {
  queryClient.setQueryData(pinnedKey, page)
}

/** Matches in the text of all chats. Sends no request for an empty search. */
export function useChatSearch(search: string) {
  return useQuery({
    queryKey: [...listKey, "text", search],
    queryFn: async ({ signal }) =>
      (await box.conversations.search({ query: { query: search, limit: textHits } }, { signal })).results,
    enabled: search !== "",
    placeholderData: keepPreviousData,
  })
}

const branchKey = (chatId: string, branch: string | undefined) =>
  [...conversationKey(chatId), branch ?? ""] as const

async function readConversation(
  chatId: string,
  branch: string | undefined,
  signal?: AbortSignal,
): Promise<Conversation | null> {
  const query = branch === undefined ? {} : { branch }
  try {
    const { chat } = await box.conversations.read({ params: { id: chatId }, query }, signal ? { signal } : {})
    return chat
  } catch (error) {
    if (hasCode(error, "not_found")) return null
    throw error
  }
}

/** One chat, or one of its earlier branches; null if it doesn't exist. */
export function useConversation(chatId: string, branch: string | undefined, enabled: boolean) {
  return useQuery({
    queryKey: branchKey(chatId, branch),
    queryFn: ({ signal }) => readConversation(chatId, branch, signal),
    enabled,
  })
}

/** The messages of several branches, in the same order; undefined where not loaded yet. */
export function useBranchMessages(chatId: string, branches: Branch[]): (StoredMessage[] | undefined)[] {
  return useQueries({
    queries: branches.map(({ id, current }) => ({
      queryKey: branchKey(chatId, current ? undefined : id),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readConversation(chatId, current ? undefined : id, signal),
    })),
    combine: getMessages,
  })
}

const getMessages = (results: { data: Conversation | null | undefined }[]) =>
  results.map(({ data }) => data?.messages)

/** Fetches a chat's current state; null if it doesn't exist. */
export const fetchConversation = (chatId: string): Promise<Conversation | null> =>
  queryClient.fetchQuery({
    queryKey: branchKey(chatId, undefined),
    queryFn: ({ signal }) => readConversation(chatId, undefined, signal),
  })

/** Reloads a chat and the list that contains it. */
export async function refreshConversation(chatId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: conversationKey(chatId) }),
    refreshConversationList(),
  ])
}

export const refreshConversationList = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: listKey })

/** Renames, pins or unpins a chat, or moves it between projects. */
export function useUpdateConversation(chatId: string) {
  return useMutation({
    mutationFn: (patch: ConversationPatch) =>
      box.conversations.update({ params: { id: chatId }, body: patch }),
    onSuccess: () => refreshConversation(chatId),
  })
}

/** Moves chats into a project one by one, or out of their projects. */
export function useMoveChats() {
  return useMutation({
    mutationFn: async ({ ids, projectId }: { ids: readonly string[]; projectId: string | null }) => {
      for (const id of ids) await box.conversations.update({ params: { id }, body: { projectId } })
    },
    onSettled: (_data, _error, { ids }) => Promise.all(ids.map(refreshConversation)),
  })
}

/** Creates a chat that contains the given one up to an answer. */
export async function forkConversation(chatId: string, messageId: string): Promise<ConversationSummary> {
  const { chat } = await box.conversations.fork({ params: { id: chatId }, body: { messageId } })
  void refreshConversationList()
  return chat
}

/** Marks a chat as read because its newest answer is on screen. Errors are ignored; the dot then stays. */
export async function markChatRead(chatId: string): Promise<void> {
  await box.conversations.update({ params: { id: chatId }, body: { unread: false } }).catch(() => undefined)
  await refreshConversation(chatId)
}

/** Discards cached data after a deletion or an undo, because none of it is valid. */
export const forgetConversation = (chatId: string): void =>
  queryClient.removeQueries({ queryKey: conversationKey(chatId) })

/** The passages found for an answer and how they were used; null if nothing was searched. */
export function useRetrieval(chatId: string, messageId: string) {
  return useQuery({
    queryKey: ["retrieval", chatId, messageId],
    queryFn: async ({ signal }) =>
      (await box.conversations.retrieval({ params: { id: chatId, messageId } }, { signal })).retrieval,
    staleTime: Infinity,
  })
}

/** Returns the chat's own folder, and creates it if needed. A new chat starts in the given project. */
export async function openChatFolder(chatId: string, projectId?: string): Promise<string> {
  const query = projectId === undefined ? {} : { projectId }
  const { vector } = await box.conversations.folder({ params: { id: chatId }, query })
  return vector.id
}

type Activity = Awaited<ReturnType<typeof box.chat.activity>>

const activityKey = ["activity"] as const
const nothing: Activity = { answering: [], approvals: [] }

/** Activity in all chats: answers being written, and calls that await approval, oldest first. */
export function useActivity(): Activity {
  const { data } = useQuery({
    queryKey: activityKey,
    queryFn: ({ signal }) => box.chat.activity({}, { signal }),
  })
  return data ?? nothing
}

/** Caches the activity from the first screen. */
export function cacheActivity(activity: Activity): void {
  queryClient.setQueryData(activityKey, activity)
}

export const refreshActivity = (): Promise<void> => queryClient.invalidateQueries({ queryKey: activityKey })
