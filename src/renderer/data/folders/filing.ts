import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import type { Filing, FilingDraft } from "../../../shared/contract/filing.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"
import { refreshFolders } from "./folders.ts"

const filingKey = ["filing"] as const
const pageSize = 50

/** The filing actions for a file, newest first. */
export const useFileHistory = (folderId: string, fileId: string) =>
  useQuery({
    queryKey: [...filingKey, "history", folderId, fileId],
    queryFn: ({ signal }) => box.filing.history({ params: { id: folderId, fileId } }, { signal }),
  })

/** The filing actions for the user's files, newest first, one page at a time. */
export const useFilings = () =>
  useInfiniteQuery({
    queryKey: [...filingKey, "all"],
    queryFn: ({ pageParam, signal }) =>
      box.filing.list({ query: { limit: pageSize, offset: pageParam } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
  })

async function refresh({ was, became }: Filing): Promise<void> {
  const folders = new Set([became.vectorId, ...(was ? [was.vectorId] : [])])
  await Promise.all([queryClient.invalidateQueries({ queryKey: filingKey }), refreshFolders([...folders])])
}

export async function fileAs(draft: FilingDraft): Promise<void> {
  const { filing } = await box.filing.file({ body: draft })
  await refresh(filing)
}

export async function undoFiling(id: string): Promise<void> {
  const { filing } = await box.filing.undo({ params: { id } })
  await refresh(filing)
}
