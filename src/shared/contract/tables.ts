import { z } from "zod"
import { json } from "./endpoint.ts"
import { Id } from "./primitives.ts"

export const ColumnType = z.enum(["number", "text", "date", "boolean", "mixed"]).meta({ id: "ColumnType" })
export type ColumnType = z.infer<typeof ColumnType>

export const TableColumn = z.object({ name: z.string(), type: ColumnType }).meta({ id: "TableColumn" })
export type TableColumn = z.infer<typeof TableColumn>

/** A table found in a spreadsheet. */
export const Table = z
  .object({
    id: Id,
    fileId: Id,
    fileName: z.string(),
    sheet: z.string().nullable().meta({ description: "Null where the format has no sheets, as csv and tsv" }),
    name: z.string().meta({ description: "As SQL calls it; the same as long as the file stays" }),
    rows: z.int(),
    columns: z.array(TableColumn),
  })
  .meta({ id: "Table" })
export type Table = z.infer<typeof Table>

/** A spreadsheet whose tables are missing for another reason than that it contains none. */
export const FileWithoutTables = z
  .object({
    fileId: Id,
    fileName: z.string(),
    why: z.enum(["making", "limits", "unreadable", "folder_full", "unavailable"]).meta({
      description:
        "`making`: they are still being made, so ask again; `limits`: it takes too much time, memory or space; `unreadable`: it is damaged or protected; `folder_full`: the folder's other tables have as many columns as it may have; `unavailable`: it couldn't be tried, ask again later",
    }),
  })
  .meta({ id: "FileWithoutTables" })
export type FileWithoutTables = z.infer<typeof FileWithoutTables>

/** Dates are in ISO 8601 format. */
export const CellOfAnswer = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type CellOfAnswer = z.infer<typeof CellOfAnswer>

export const TableAnswer = z
  .object({
    columns: z.array(TableColumn),
    rows: z.array(z.array(CellOfAnswer)).meta({ description: "Values in the order of the columns" }),
    truncated: z.boolean().meta({ description: "There are more rows" }),
    ms: z.number(),
  })
  .meta({ id: "TableAnswer" })
export type TableAnswer = z.infer<typeof TableAnswer>

/** Default number of rows in a response. */
export const usualRows = 200
export const maxRows = 1000

export const tables = {
  list: json({
    method: "get",
    path: "/api/public/vectors/:id/tables",
    summary:
      "Tables in the spreadsheets of a folder. Questions have them made, and wait 20 s at most: `without` tells of the others",
    scope: "folders",
    output: z.object({ tables: z.array(Table), without: z.array(FileWithoutTables) }),
  }),
  query: json({
    method: "post",
    path: "/api/public/vectors/:id/tables/query",
    summary: "Answer one read-only SELECT over the tables of a folder",
    scope: "folders",
    reads: true,
    body: z.object({
      sql: z.string().min(1),
      limit: z
        .int()
        .min(1)
        .max(maxRows)
        .optional()
        .meta({ description: `${usualRows} unless given` }),
    }),
    output: TableAnswer,
  }),
} as const
