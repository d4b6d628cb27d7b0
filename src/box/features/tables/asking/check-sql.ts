import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

const longestSql = 100_000

/** What may stand before the first word: spaces, semicolons of nothing, comments. */
const blank = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/

/**
 * Refuses what doesn't begin as a question, before any of it is compiled: with SELECT or WITH begin only statements that can
 * neither attach, set nor keep anything. Whether it is one, and only reads, SQLite tells itself. Throws `unprocessable`.
 */
export function checkSql(sql: string): void {
  if (sql.length > longestSql)
    throw new AppError("unprocessable", sentence("tables.sql_too_long", { count: longestSql }))
  if (!/^(?:select|with)\b/i.test(sql.replace(blank, "")) || sql.includes("\0"))
    throw new AppError("unprocessable", sentence("tables.only_select"))
}
