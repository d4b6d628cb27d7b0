import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"

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

/** Which rows of a table or SELECT are shown, and in which order. */
export interface View {
  /** A SELECT, which the filter and the order are wrapped around. */
  base: string
  /** Names of its columns, if known. */
  columns: readonly string[]
  filter: string
  sort: { column: string; descending: boolean } | undefined
}

const name = (column: string): string => `"${column.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

export const selectAll = (table: string): string => `SELECT * FROM ${name(table)}`

/** Returns the SELECT for the rows. */
export function rowsSql(view: View): string {
  const { base, sort } = view
  const condition = buildCondition(view)
  if (condition === undefined && !sort) return base
  return [
    "SELECT *",
    getSource(base),
    ...(condition === undefined ? [] : [condition]),
    ...(sort ? [`ORDER BY ${name(sort.column)}${sort.descending ? " DESC" : ""}`] : []),
  ].join("\n")
}

/** Returns the SELECT that counts the column's values and, if they are numbers, sums and averages them. */
export function factsSql(view: View, column: string, isNumber: boolean): string {
  const condition = buildCondition(view)
  const it = name(column)
  return [
    `SELECT count(${it})${isNumber ? `, sum(${it}), avg(${it})` : ""}`,
    getSource(view.base),
    ...(condition === undefined ? [] : [condition]),
  ].join("\n")
}

/** A whole table by name, any other SELECT in parentheses. A final semicolon is removed, because it would end the outer statement. */
function getSource(base: string): string {
  const table = /^SELECT \* FROM ("(?:[^"]|"")+")$/.exec(base)?.[1]
  return `FROM ${table ?? `(\n${base.trim().replace(/;\s*$/, "")}\n)`}`
}

/** A condition for rows that contain the filter text in any column. */
function buildCondition({ filter, columns }: View): string | undefined {
  const wanted = filter.trim()
  if (wanted === "" || columns.length === 0) return undefined
  const pattern = text(`%${wanted.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
  const matches = columns.map(
    (column) => String.raw`CAST(${name(column)} AS TEXT) LIKE ${pattern} ESCAPE '\'`,
  )
  return `WHERE ${matches.join("\n  OR ")}`
}

/** Returns the order after a click on a column header: ascending, then descending, then unsorted. */
export function nextSort(sort: View["sort"], column: string): View["sort"] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? undefined : { column, descending: true }
}
