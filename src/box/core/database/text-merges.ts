import { sql, type Kysely } from "kysely"
import { isPostgres } from "./dialect.ts"

/** Pages that one step writes; it takes up to 10 ms. SQLite's own steps write 64 pages per level of the index, in up to 0.3 s. */
const pagesPerStep = 16
/** SQLite's default number of segments to merge. */
const usualParts = 4

/**
 * Runs work that deletes many rows of the full-text index. Segments that have lost half their rows are rewritten in small steps when the
 * work calls `tidy`, and not by SQLite. Interrupted work must be repeated, or the index is never merged again.
 */
export async function withOwnMerges<Tables>(
  db: Kysely<Tables>,
  index: "messageTexts",
  work: (mergeIndex: () => Promise<void>) => Promise<void>,
): Promise<void> {
  if (isPostgres(db)) return work(() => Promise.resolve()) // PostgreSQL maintains its own indexes
  const sendCommand = (on: Kysely<Tables>, command: string, value: number) =>
    sql`INSERT INTO ${sql.table(index)} (${sql.ref(index)}, rank) VALUES (${sql.lit(command)}, ${sql.lit(value)})`.execute(
      on,
    )

  /** Whether there was anything to do, which SQLite shows by the number of changed rows. */
  const step = () =>
    db.transaction().execute(async (transaction) => {
      const before = await getChanges(transaction)
      await sendCommand(transaction, "merge", pagesPerStep)
      return (await getChanges(transaction)) - before > 1
    })

  await sendCommand(db, "automerge", 0)
  try {
    await work(async () => {
      while (await step());
    })
  } finally {
    await sendCommand(db, "automerge", usualParts)
  }
}

async function getChanges<Tables>(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(db)
  return rows[0]?.changes ?? 0
}
