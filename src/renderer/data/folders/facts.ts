import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import type { FactKind } from "../../../shared/contract/facts.ts"
import type { Folder } from "../../../shared/contract/folders.ts"
import { box } from "../../lib/box.ts"

/** Rows of a folder that are asked for in all: more are no list that somebody reads. */
export const mostRows = 10_000
const rowsAtOnce = 1000

/** A folder that is asked again once all of its files are indexed. */
type ReadFolder = Pick<Folder, "id" | "pendingCount">

/** What a folder's documents name, as it comes: answer after answer until the end, or until there are enough. */
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
      pages.reduce((sum, { facts }) => sum + facts.length, 0) < mostRows ? next : null,
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
