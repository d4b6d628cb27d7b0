import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"

/** Bytes of one stored number of an embedding. */
const numberBytes = 4

/**
 * Corrects numbers of a restored backup that answers or the search index would fail with. False where files have sizes that no disk
 * holds together: it isn't a backup, and sums of them aren't safe integers.
 */
export async function correctFiles(db: DbOf<"files">): Promise<boolean> {
  await db
    .updateTable("files")
    .set({ progress: 0 })
    .where((e) => e.not(e.between("progress", 0, 100)))
    .execute()
  await db
    .deleteFrom("passageEmbeddings")
    .where(sql<boolean>`length(vector) % ${sql.lit(numberBytes)} <> 0`)
    .execute()
  let total = 0
  for (const table of ["files", "trashedFiles"] as const) {
    const sizes = await db
      .selectFrom(table)
      .select([
        sql<number | null>`min(size)`.as("least"),
        sql<number | null>`sum(cast(size AS double precision))`.as("total"), // as integers the sum could overflow
      ])
      .executeTakeFirstOrThrow()
    if ((sizes.least ?? 0) < 0) return false
    total += sizes.total ?? 0
  }
  return total <= Number.MAX_SAFE_INTEGER
}
