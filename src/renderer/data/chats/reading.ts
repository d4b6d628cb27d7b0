import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import type { ReadingEstimateRequest } from "../../../shared/contract/chat.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

interface Wanted {
  assistantId: string | null
  folderIds: readonly string[]
  /** Keys of the tools that a chat without an assistant may use. */
  tools?: readonly string[]
}

/**
 * Makes the model process the start of the prompt while the user is still thinking of a question. Applies to chats with an assistant,
 * folders or tools.
 */
export function useReadAhead({ assistantId, folderIds, tools = [] }: Wanted): void {
  const [folderId] = folderIds // the start of the prompt doesn't depend on which folders, or how many
  const keys = JSON.stringify(tools)
  useEffect(() => {
    const builtInTools = Object.fromEntries((JSON.parse(keys) as string[]).map((key) => [key, true]))
    if (assistantId === null && folderId === undefined && keys === "[]") return
    const vector = folderId === undefined ? [] : [folderId]
    // On failure, the start is processed with the question, which also reports the error.
    box.chat.prepare({ body: { assistantId, vector, builtInTools } }).catch(() => undefined)
  }, [assistantId, folderId, keys])
}

const estimateKey = ["reading-estimate"] as const

/**
 * Estimates what it would take to read everything for a question about this selection. Undefined while loading, on failure, and without a
 * request.
 */
export function useReadingEstimate(request: ReadingEstimateRequest | undefined) {
  const { data } = useQuery({
    queryKey: [...estimateKey, request],
    queryFn: ({ signal }) => box.chat.estimateReading({ body: request ?? {} }, { signal }),
    enabled: request !== undefined,
    placeholderData: (before) => before, // keeps the estimate from flickering while a question is typed
    retry: false, // if reading isn't possible, the answer explains why
    staleTime: 0,
    gcTime: 0,
  })
  return data
}

/** Reloads the estimates on screen, because the content to read has changed. */
export const refreshEstimates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: estimateKey })

const awaitedFilesKey = ["awaited-files"] as const
/** Polling interval, because no news arrives for folders that only a shared assistant may read. */
const askedEveryMs = 10_000

/** Whether the files that were still being read when the question was answered have been read. */
export function useAreFilesRead(chatId: string, messageId: string): boolean {
  const { data } = useQuery({
    queryKey: [...awaitedFilesKey, chatId, messageId],
    queryFn: ({ signal }) =>
      box.conversations.awaitedFiles({ params: { id: chatId, messageId } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === "reading" ? askedEveryMs : false),
  })
  return data?.state === "read"
}

/** Reloads the state on screen after a change in a folder. */
export const refreshAwaitedFiles = () => queryClient.invalidateQueries({ queryKey: awaitedFilesKey })
