import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

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

const answerKey = (folderId: string, sql: string | undefined) => ["table-answer", folderId, sql] as const

const ask = (folderId: string, sql: string, options: { signal?: AbortSignal } = {}) =>
  box.tables.query({ params: { id: folderId }, body: { sql, limit: mostRows } }, options)

/** Asks what a person wrote: what was shown before stays until it is answered. */
export const useAskTables = (folderId: string) =>
  useMutation({
    mutationFn: (sql: string) => ask(folderId, sql),
    onSuccess: (answer, sql) => queryClient.setQueryData(answerKey(folderId, sql), answer),
  })

/** What a SELECT over a folder's tables answers; nothing is asked while there is none. */
export const useTableAnswer = (folderId: string, sql: string | undefined) =>
  useQuery({
    queryKey: answerKey(folderId, sql),
    queryFn: ({ signal }) => ask(folderId, sql ?? "", { signal }),
    enabled: sql !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 60_000, // a thousand wide rows aren't kept for long
  })
