import { sql, type Transaction } from "kysely"
import { isPostgres } from "./dialect.ts"

/**
 * From here to the end of the transaction nobody else writes the table, and what others wrote is seen. PostgreSQL lets a statement
 * that waited for a row judge it by what other tables held before it waited; SQLite has one writer anyway.
 */
export async function waitForWriters<Tables>(
  transaction: Transaction<Tables>,
  table: keyof Tables & string,
): Promise<void> {
  if (isPostgres(transaction))
    await sql`LOCK TABLE ${sql.table(table)} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
}
