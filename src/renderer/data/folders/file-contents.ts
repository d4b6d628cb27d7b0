import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import type { FactKind } from "../../../shared/contract/facts.ts"
import type { Folder } from "../../../shared/contract/folders.ts"
import { box } from "../../lib/box.ts"

/** Maximum rows loaded for a folder; no one reads a longer list. */
export const maxRows = 10_000
const rowsAtOnce = 1000

/** A folder whose facts are reloaded when all its files are indexed. */
type ReadFolder = Pick<Folder, "id" | "pendingCount">

/** The facts named in a folder's documents, loaded page by page until the end or until the maximum. */
export function useFolderFacts({ id: folderId, pendingCount }: ReadFolder, kind: FactKind) {
  const query = useInfiniteQuery({
    queryKey: ["facts", folderId, kind, pendingCount > 0],
    initialPageParam: "",
    queryFn: ({ pageParam: after, signal }) =>
      box.facts.list(
        { params: { id: folderId }, query: { kind, limit: rowsAtOnce, ...(after !== "" && { after }) } },
        { signal },
      ),
    getNextPageParam: ({ next }, pages) =>
      pages.reduce((sum, { facts }) => sum + facts.length, 0) < maxRows ? next : null,
    staleTime: 0,
    gcTime: 60_000,
  })
  const { hasNextPage, isFetching, isError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  return query
}

export const useFolderTerms = ({ id: folderId, pendingCount }: ReadFolder) =>
  useQuery({
    queryKey: ["folder-terms", folderId, pendingCount > 0],
    queryFn: ({ signal }) => box.facts.terms({ params: { id: folderId } }, { signal }),
    staleTime: 0,
  })

export const useFileOverview = (folderId: string, fileId: string) =>
  useQuery({
    queryKey: ["file-overview", folderId, fileId],
    queryFn: ({ signal }) => box.facts.overview({ params: { id: folderId, fileId } }, { signal }),
    staleTime: 0,
  })

/** A passage that a link names; none if its document was indexed again since. */
export const usePassage = (folderId: string, passageId: string | undefined) =>
  useQuery({
    queryKey: ["passage", folderId, passageId],
    enabled: passageId !== undefined,
    retry: false,
    queryFn: async ({ signal }) =>
      (await box.folders.passage({ params: { id: folderId, passageId: passageId ?? "" } }, { signal }))
        .passage,
  })
