import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

const maxSqlLength = 100_000

/** Text allowed before the first word: whitespace, empty statements and comments. */
const blank = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/

/**
 * Rejects SQL that doesn't start with SELECT or WITH, before any of it is compiled. Statements that start with these words can't attach,
 * set or store anything; SQLite itself checks that they are a single read-only query. Throws `unprocessable`.
 */
export function checkSql(sql: string): void {
  if (sql.length > maxSqlLength)
    throw new AppError("unprocessable", sentence("tables.sql_too_long", { count: maxSqlLength }))
  if (!/^(?:select|with)\b/i.test(sql.replace(blank, "")) || sql.includes("\0"))
    throw new AppError("unprocessable", sentence("tables.only_select"))
}
