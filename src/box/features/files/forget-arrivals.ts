import type { DbOf } from "../../core/database/database.ts"

/** Forgets files that were indexed before a backup was made: what waited for them then doesn't begin now. */
export async function forgetArrivals(db: DbOf<"files">): Promise<void> {
  await db.deleteFrom("fileArrivals").execute()
}
