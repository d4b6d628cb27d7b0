import { sql, type Kysely } from "kysely"
import { isPostgres } from "./dialect.ts"

/** Pages that one step writes; it takes up to 10 ms. SQLite's own steps write 64 for each level of the index, in up to 0.3 s. */
const pagesPerStep = 16
/** SQLite's own number of parts that it joins. */
const usualParts = 4

/**
 * Does work that deletes many rows of the full-text index. Parts of which half is gone are written anew whenever the work calls
 * `tidy`, in small steps, and not by SQLite. What is cut off is to be done again, or the index is never joined again.
 */
export async function withOwnMerges<Tables>(
  db: Kysely<Tables>,
  index: "messageTexts",
  work: (tidy: () => Promise<void>) => Promise<void>,
): Promise<void> {
  if (isPostgres(db)) return work(() => Promise.resolve()) // it looks after its indexes itself
  const tell = (on: Kysely<Tables>, command: string, value: number) =>
    sql`INSERT INTO ${sql.table(index)} (${sql.ref(index)}, rank) VALUES (${sql.lit(command)}, ${sql.lit(value)})`.execute(
      on,
    )

  /** Whether there was anything to do, which SQLite tells by the number of changed rows. */
  const step = () =>
    db.transaction().execute(async (transaction) => {
      const before = await changesOf(transaction)
      await tell(transaction, "merge", pagesPerStep)
      return (await changesOf(transaction)) - before > 1
    })

  await tell(db, "automerge", 0)
  try {
    await work(async () => {
      while (await step());
    })
  } finally {
    await tell(db, "automerge", usualParts)
  }
}

async function changesOf<Tables>(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(db)
  return rows[0]?.changes ?? 0
}
