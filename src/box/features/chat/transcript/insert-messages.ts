import type { Insertable } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"

/** Maximum number of rows per insert: SQLite accepts 32,766 values. */
const rowsPerInsert = 500

/** Stores any number of messages. */
export async function insertMessages(
  transaction: DbOf<"chat">,
  rows: readonly Insertable<TablesOf<"chat">["messages"]>[],
): Promise<void> {
  for (let first = 0; first < rows.length; first += rowsPerInsert)
    await transaction
      .insertInto("messages")
      .values(rows.slice(first, first + rowsPerInsert))
      .execute()
}
