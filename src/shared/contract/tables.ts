import { z } from "zod"
import { json } from "./endpoint.ts"
import { Id } from "./primitives.ts"

export const ColumnType = z
  .enum(["number", "text", "date", "boolean", "mixed"])
  .meta({ id: "ColumnType", description: "Type of the values of a column." })
export type ColumnType = z.infer<typeof ColumnType>

export const TableColumn = z
  .object({ name: z.string().describe("Name of the column."), type: ColumnType })
  .meta({ id: "TableColumn", description: "A column of a table." })
export type TableColumn = z.infer<typeof TableColumn>

/** A table found in a spreadsheet. */
export const Table = z
  .object({
    id: Id.describe("Identifier of the table."),
    fileId: Id.describe("File of the table."),
    fileName: z.string().describe("Name of the file."),
    sheet: z
      .string()
      .nullable()
      .describe("Sheet of the table; null for formats without sheets, such as CSV."),
    name: z.string().describe("Name of the table in SQL. It stays the same as long as the file."),
    rows: z.int().describe("Number of rows."),
    columns: z.array(TableColumn).describe("Columns of the table."),
  })
  .meta({ id: "Table", description: "A table found in a spreadsheet." })
export type Table = z.infer<typeof Table>

/** A spreadsheet whose tables are missing for another reason than that it contains none. */
export const FileWithoutTables = z
  .object({
    fileId: Id.describe("The file."),
    fileName: z.string().describe("Name of the file."),
    why: z
      .enum(["making", "limits", "unreadable", "folder_full", "unavailable"])
      .describe(
        "Why the tables are missing. `making`: they are being created, so ask again. `limits`: it takes too much time, memory or space. `unreadable`: the file is damaged or protected. `folder_full`: the folder has too many columns. `unavailable`: it couldn't be tried, so ask again.",
      ),
  })
  .meta({ id: "FileWithoutTables", description: "A spreadsheet whose tables are missing." })
export type FileWithoutTables = z.infer<typeof FileWithoutTables>

/** Dates are in ISO 8601 format. */
export const CellOfAnswer = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type CellOfAnswer = z.infer<typeof CellOfAnswer>

export const TableAnswer = z
  .object({
    columns: z.array(TableColumn).describe("Columns of the result."),
    rows: z
      .array(z.array(CellOfAnswer))
      .describe("Rows of the result. Values are in the order of the columns."),
    truncated: z.boolean().describe("true if there are more rows."),
    ms: z.number().describe("Milliseconds that the query took."),
  })
  .meta({ id: "TableAnswer", description: "The result of a query." })
export type TableAnswer = z.infer<typeof TableAnswer>

/** Default number of rows in a response. */
export const usualRows = 200
export const maxRows = 1000

export const tables = {
  list: json({
    method: "get",
    path: "/api/public/vectors/:id/tables",
    summary: "List tables",
    description:
      "Returns the tables in the spreadsheets of a folder. The first request creates them and waits up to 20 seconds; `without` lists files that aren't ready.",
    scope: "folders",
    output: z.object({
      tables: z.array(Table).describe("Tables of the folder."),
      without: z.array(FileWithoutTables).describe("Spreadsheets whose tables are missing."),
    }),
  }),
  query: json({
    method: "post",
    path: "/api/public/vectors/:id/tables/query",
    summary: "Query tables",
    description: "Runs one read-only `SELECT` over the tables of a folder, in SQLite's dialect.",
    errors: ["conflict", "unprocessable"],
    scope: "folders",
    reads: true,
    body: z.object({
      sql: z.string().min(1).describe("One `SELECT` statement."),
      limit: z.int().min(1).max(maxRows).optional().describe("Rows to return."),
    }),
    output: TableAnswer,
  }),
} as const
