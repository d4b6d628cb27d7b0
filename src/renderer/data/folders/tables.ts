import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

/** Rows requested at a time: the maximum that the box returns. */
export const maxRows = 1000

/** Tables in a folder's spreadsheets. Building them may take a while, so they are requested only where they are shown. */
export const useTables = (folderId: string) =>
  useQuery({
    queryKey: ["tables", folderId],
    queryFn: ({ signal }) => box.tables.list({ params: { id: folderId } }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.without.some(({ why }) => why === "making") ? 2_000 : false),
  })

const answerKey = (folderId: string, sql: string | undefined) => ["table-answer", folderId, sql] as const

const ask = (folderId: string, sql: string, options: { signal?: AbortSignal } = {}) =>
  box.tables.query({ params: { id: folderId }, body: { sql, limit: maxRows } }, options)

/** Runs a query that the user wrote. The previous result stays until the new one arrives. */
export const useAskTables = (folderId: string) =>
  useMutation({
    mutationFn: (sql: string) => ask(folderId, sql),
    onSuccess: (answer, sql) => queryClient.setQueryData(answerKey(folderId, sql), answer),
  })

/** The result of a SELECT over a folder's tables. Sends no request without a query. */
export const useTableAnswer = (folderId: string, sql: string | undefined) =>
  useQuery({
    queryKey: answerKey(folderId, sql),
    queryFn: ({ signal }) => ask(folderId, sql ?? "", { signal }),
    enabled: sql !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 60_000, // don't cache a thousand wide rows for long
  })
