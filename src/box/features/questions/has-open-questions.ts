import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"

/** A literal, because SQLite uses a partial index only for a condition that it can read. */
export const open = sql.lit("open" as const)

/** Whether any question is open. */
export async function hasOpenQuestions(db: DbOf<"questions">): Promise<boolean> {
  const first = db.selectFrom("questions").select("id").where("status", "=", open).limit(1)
  return (await first.executeTakeFirst()) !== undefined
}
