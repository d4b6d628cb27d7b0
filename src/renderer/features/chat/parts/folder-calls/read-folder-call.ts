import { t } from "i18next"
import { getFailure, type CallStep } from "../arrange-parts.ts"

/** A search result or a range that was read: its location and its text. */
export interface FoundText {
  /** Its citation in the answer, such as `[3]`; empty if it has none. */
  cite: string
  file: string
  place: string
  text: string
}

export type Cell = string | number | null

/** The result of a tool call that looked into the chat's folders. */
export type FolderCall =
  | { kind: "texts"; texts: FoundText[] }
  | { kind: "files"; folders: { name: string; files: string[] }[]; notShown: number }
  | { kind: "tables"; tables: { name: string; where: string; columns: string[] }[]; notShown: number }
  | { kind: "rows"; sql: string; sheets: string[]; columns: string[]; rows: Cell[][]; hasMore: boolean }

const getRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const records = (value: unknown) => list(value).map(getRecord)
const count = (value: unknown): number => (typeof value === "number" ? value : 0)

/** Returns the result of a folder tool call; undefined for other tools, and if the call failed or isn't finished. */
export function getFolderCall(step: CallStep): FolderCall | undefined {
  if (!step.result || getFailure(step) !== undefined) return undefined
  const result = getRecord(step.result.result)
  switch (step.call.toolName) {
    case "searchFolder":
      return { kind: "texts", texts: records(result["passages"]).map(toPassage) }
    case "readFile":
      return { kind: "texts", texts: [toRange(result)] }
    case "listFiles":
      return {
        kind: "files",
        folders: records(result["folders"]).map(toFolder),
        notShown: count(result["notShown"]),
      }
    case "queryTable":
      return Array.isArray(result["tables"]) ? toTables(result) : toRows(result)
    default:
      return undefined
  }
}

/** The box sends this instead of a text that the model has already seen. */
const repeatedTextNote = "As above."

const toPassage = (passage: Record<string, unknown>): FoundText => ({
  cite: text(passage["cite"]),
  file: text(passage["file"]),
  place: text(passage["place"]),
  text: passage["text"] === repeatedTextNote ? "" : text(passage["text"]),
})

/** The range that was read from a file, or the model's notice if nothing was read. */
const toRange = (result: Record<string, unknown>): FoundText => ({
  cite: text(result["cite"]),
  file: text(result["file"]),
  place: rangeInWords(getRecord(result["range"])) ?? text(result["read"]),
  text: text(result["text"]),
})

const units = ["page", "slide", "sheet", "line"] as const

/** "pages 2–3 of 12" */
function rangeInWords(range: Record<string, unknown>): string | undefined {
  const unit = units.find((known) => known === range["unit"])
  if (unit === undefined) return undefined
  const [from, to] = [count(range["from"]), count(range["to"])]
  const where = from === to ? `${from}` : `${from}–${to}`
  return t(`tools:documents.range.${unit}`, { count: to - from + 1, where, of: count(range["of"]) })
}

const toFolder = (folder: Record<string, unknown>) => ({
  name: text(folder["name"]),
  files: records(folder["files"]).map(({ name }) => text(name)),
})

const formatFileAndSheet = ({ file, sheet }: Record<string, unknown>): string =>
  [text(file), text(sheet)].filter((part) => part !== "").join(" · ")

const toTables = (result: Record<string, unknown>): FolderCall => ({
  kind: "tables",
  tables: records(result["tables"]).map((table) => ({
    name: text(table["name"]),
    where: formatFileAndSheet(table),
    columns: list(table["columns"]).map(text),
  })),
  notShown: count(result["notShown"]),
})

const toCell = (value: unknown): Cell =>
  typeof value === "string" || typeof value === "number" || value === null ? value : JSON.stringify(value)

const toRows = (result: Record<string, unknown>): FolderCall => ({
  kind: "rows",
  sql: text(result["sql"]),
  sheets: records(result["sheets"]).map((sheet) =>
    `${formatFileAndSheet(sheet)} ${text(sheet["cite"])}`.trim(),
  ),
  columns: list(result["columns"]).map(text),
  rows: list(result["rows"]).map((row) => list(row).map(toCell)),
  hasMore: result["note"] !== undefined,
})
