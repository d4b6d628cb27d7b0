import { sql, type RawBuilder } from "kysely"
import { copiedTables, primaryKeys } from "./copy-rows.ts"
import type { Database } from "./database.ts"
import { isPostgres } from "./dialect.ts"

/** Columns with IDs that Casella doesn't generate, and their maximum length; null: any value is valid. */
const foreignIdLengths: Readonly<Record<string, number | null>> = {
  afterId: null, // empty: it starts the chat
  chatId: 200,
  conversationId: 200,
  itemId: null,
  modelId: null,
  requestId: null,
  subjectId: 100,
  ticketId: null,
  toolCallId: null,
}

/** The same check as `!isOwnId`, for a column in each row. */
export function isForeignId(db: Database, column: string): RawBuilder<boolean> {
  const id = sql.ref(column)
  // SQLite compares a text only up to its first NUL, but a blob completely.
  const hasOther = isPostgres(db)
    ? sql`${id} ~ '[^-_A-Za-z0-9]'`
    : sql`${id} GLOB '*[^-_A-Za-z0-9]*' OR length(CAST(${id} AS BLOB)) <> length(${id})`
  return sql`(length(${id}) NOT BETWEEN 1 AND 100 OR ${hasOther})`
}

/**
 * Removes IDs that aren't Casella's from the rows of a restored database, because responses that contain one would fail. A row that
 * requires the ID is removed.
 */
export async function removeForeignIds(db: Database): Promise<void> {
  for (const { name, columns } of await db.introspection.getTables()) {
    const table = copiedTables.find((one) => one === name)
    if (table === undefined) continue
    const texts = columns.filter(({ dataType }) => /text/i.test(dataType))
    for (const { name: column, isNullable } of texts.filter((one) => one.name.endsWith("Id"))) {
      const longest = foreignIdLengths[column]
      if (longest === null) continue
      const isWrong =
        longest === undefined
          ? isForeignId(db, column)
          : sql`length(${sql.ref(column)}) NOT BETWEEN 1 AND ${longest}`
      // A trigger prevents changes to entries of the audit log.
      const isOptional = isNullable && !primaryKeys[table].includes(column) && table !== "auditLog"
      const change = isOptional
        ? sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = NULL`
        : sql`DELETE FROM ${sql.table(table)}`
      await sql`${change} WHERE ${isWrong}`.execute(db)
    }
  }
}
