import { sql, type Transaction } from "kysely"
import { isPostgres } from "./dialect.ts"

/**
 * Blocks other writers of the table until the end of the transaction, and makes earlier writes visible. PostgreSQL lets a statement that
 * waited for a row evaluate it with older contents of other tables; SQLite has only one writer anyway.
 */
export async function waitForWriters<Tables>(
  transaction: Transaction<Tables>,
  table: keyof Tables & string,
): Promise<void> {
  if (isPostgres(transaction))
    await sql`LOCK TABLE ${sql.table(table)} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
}
