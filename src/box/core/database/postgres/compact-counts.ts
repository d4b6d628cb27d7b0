import { sql } from "kysely"
import type { Database } from "../database.ts"

/** The tables of changes that counts are added up from: what is counted, and the column of the change. */
const changes = [
  { table: "notificationCountChanges", keys: ["userId", "category", "read", "muted"], sum: "amount" },
  { table: "fileCountChanges", keys: ["folderId", "status"], sum: "amount" },
  { table: "folderSizeChanges", keys: ["folderId"], sum: "bytes" },
  { table: "conversationCountChanges", keys: ["ownerId", "origin", "pinned"], sum: "amount" },
] as const

/**
 * Replaces the changes of each count by their sum, except those that other transactions are replacing. Triggers do the same with every
 * tenth change on average, but not when items are deleted, and not in folders that no longer change.
 */
export async function compactCounts(db: Database): Promise<void> {
  for (const { table, keys, sum } of changes) {
    const columns = sql.join(keys.map((key) => sql.ref(key)))
    await sql`
      WITH several AS (SELECT ${columns} FROM ${sql.table(table)} GROUP BY ${columns} HAVING count(*) > 1),
      summed AS (
        DELETE FROM ${sql.table(table)} WHERE ctid IN (
          SELECT ctid FROM ${sql.table(table)} WHERE (${columns}) IN (SELECT * FROM several) FOR UPDATE SKIP LOCKED
        ) RETURNING *
      )
      INSERT INTO ${sql.table(table)} (${columns}, ${sql.ref(sum)})
        SELECT ${columns}, sum(${sql.ref(sum)}) FROM summed GROUP BY ${columns} HAVING sum(${sql.ref(sum)}) <> 0`.execute(
      db,
    )
  }
}
