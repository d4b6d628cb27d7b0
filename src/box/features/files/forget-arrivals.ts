import type { DbOf } from "../../core/database/database.ts"

/** Deletes recorded arrivals in a restored backup, so that work waiting for them doesn't start now. */
export async function forgetArrivals(db: DbOf<"files">): Promise<void> {
  await db.deleteFrom("fileArrivals").execute()
}
