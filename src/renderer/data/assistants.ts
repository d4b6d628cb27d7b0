import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query"
import type { AssistantDraft, AssistantEntry, AssistantPatch } from "../../shared/contract/assistants.ts"
import { box, hasCode } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

const listKey = ["assistants"] as const
const assistantKey = (id: string) => ["assistant", id] as const
const pageSize = 200

async function readAll(signal: AbortSignal): Promise<AssistantEntry[]> {
  const all: AssistantEntry[] = []
  for (;;) {
    const query = { limit: pageSize, offset: all.length }
    const { assistants, pagination } = await box.assistants.list({ query }, { signal })
    all.push(...assistants)
    if (!pagination.hasMore || assistants.length === 0) return all
  }
}

/** Caches the list from the first screen if it is complete. */
export function cacheAssistants({ assistants, pagination }: Awaited<ReturnType<typeof box.assistants.list>>) {
  if (!pagination.hasMore) queryClient.setQueryData([...listKey, "all"], assistants)
}

/** Every assistant the user can use, newest first. */
export function useAssistants() {
  return useQuery({ queryKey: [...listKey, "all"], queryFn: ({ signal }) => readAll(signal) })
}

const readAssistant = async (id: string, signal?: AbortSignal) =>
  (await box.assistants.read({ params: { id } }, signal ? { signal } : {})).assistant

/** One assistant with all its details; null if it doesn't exist. */
export function useAssistant(id: string | undefined) {
  return useQuery({
    queryKey: assistantKey(id ?? ""),
    queryFn: async ({ signal }) => {
      try {
        return await readAssistant(id ?? "", signal)
      } catch (error) {
        if (hasCode(error, "not_found")) return null
        throw error
      }
    },
    enabled: id !== undefined,
  })
}

export const fetchAssistant = (id: string) =>
  queryClient.fetchQuery({
    queryKey: assistantKey(id),
    queryFn: ({ signal }) => readAssistant(id, signal),
    staleTime: 0,
  })

const refreshList = (): Promise<void> => queryClient.invalidateQueries({ queryKey: listKey })

/** Reloads all cached assistants. */
export async function refreshAssistants(): Promise<void> {
  await Promise.all([refreshList(), queryClient.invalidateQueries({ queryKey: ["assistant"] })])
}

export async function createAssistant(draft: AssistantDraft) {
  const { assistant } = await box.assistants.create({ body: draft })
  queryClient.setQueryData(assistantKey(assistant.id), assistant)
  await refreshList()
  return assistant
}

export async function updateAssistant(id: string, patch: AssistantPatch) {
  const { assistant } = await box.assistants.update({ params: { id }, body: patch })
  queryClient.setQueryData(assistantKey(id), assistant)
  await refreshList()
  return assistant
}

/** Enables or disables an assistant. */
export function useEnableAssistant(id: string) {
  return useMutation({ mutationFn: (enabled: boolean) => updateAssistant(id, { enabled }) })
}

/** Discards cached data after a deletion or an undo, because none of it is valid. */
export async function forgetAssistant(id: string): Promise<void> {
  queryClient.removeQueries({ queryKey: assistantKey(id) })
  await refreshList()
}

/** Returns the handle that a name would get, or whether a handle is free. Sends no request for an empty text. */
export function useHandleCheck(wanted: string, assistantId: string | undefined) {
  return useQuery({
    queryKey: [...listKey, "handle", wanted, assistantId],
    queryFn: ({ signal }) =>
      box.assistants.handle(
        { query: { wanted, ...(assistantId === undefined ? {} : { assistantId }) } },
        { signal },
      ),
    enabled: wanted !== "",
    staleTime: 5_000,
    placeholderData: keepPreviousData,
  })
}

/** Tools that can be added to assistants. */
export function useTools() {
  return useQuery({
    queryKey: ["tools"],
    queryFn: async ({ signal }) => (await box.tools.list({}, { signal })).tools,
  })
}
