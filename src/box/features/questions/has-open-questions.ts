import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"

/** Literal, because SQLite uses a partial index only for a condition that it can read. */
export const open = sql.lit("open" as const)

/** Whether anybody is being asked. */
export async function hasOpenQuestions(db: DbOf<"questions">): Promise<boolean> {
  const first = db.selectFrom("questions").select("id").where("status", "=", open).limit(1)
  return (await first.executeTakeFirst()) !== undefined
}
