import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"

/** Rows that are asked for at once: the most that the box gives. */
export const mostRows = 1000

/** Tables in the spreadsheets of a folder. Making them may take a while, so they are asked for only where they are shown. */
export const useTables = (folderId: string) =>
  useQuery({
    queryKey: ["tables", folderId],
    queryFn: ({ signal }) => box.tables.list({ params: { id: folderId } }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.without.some(({ why }) => why === "making") ? 2_000 : false),
  })

/** What a SELECT over a folder's tables answers; nothing is asked while there is none. */
export const useTableAnswer = (folderId: string, sql: string | undefined) =>
  useQuery({
    queryKey: ["table-answer", folderId, sql],
    queryFn: ({ signal }) =>
      box.tables.query({ params: { id: folderId }, body: { sql: sql ?? "", limit: mostRows } }, { signal }),
    enabled: sql !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 60_000, // a thousand wide rows aren't kept for long
  })
