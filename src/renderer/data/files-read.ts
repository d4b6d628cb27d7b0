import { useQueries, useQuery } from "@tanstack/react-query"
import type { AskedFile } from "../../shared/contract/chat.ts"
import { box, hasCode } from "../lib/box.ts"
import { folderQuery } from "./folders.ts"

/** Whether files that were being read are in: one of them was read, and nothing is being read any more in their folders. */
export function useAreRead(files: readonly AskedFile[]): boolean {
  const folderIds = [...new Set(files.map(({ vectorId }) => vectorId))]
  const folders = useQueries({ queries: folderIds.map(folderQuery) })
  const isQuiet = folders.every(({ data }) => data === null || data?.pendingCount === 0)
  const { data: isOneRead = false } = useQuery({
    // What couldn't be read may be later: then fewer have failed.
    queryKey: ["read-files", files.map(({ fileId }) => fileId), folders.map(({ data }) => data?.failedCount)],
    queryFn: ({ signal }) => isAnyRead(files, signal),
    enabled: isQuiet,
  })
  return isQuiet && isOneRead
}

async function isAnyRead(files: readonly AskedFile[], signal: AbortSignal): Promise<boolean> {
  for (const { vectorId, fileId } of files) {
    try {
      const { file } = await box.files.read({ params: { id: vectorId, fileId } }, { signal })
      if (file.status === "completed") return true
    } catch (error) {
      if (!hasCode(error, "not_found") && !hasCode(error, "forbidden")) throw error
    }
  }
  return false
}
