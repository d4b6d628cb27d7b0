import { useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

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
