import type { DbOf } from "../database/database.ts"

/** As long as the trash keeps files; a backup of the rows that is no older finds all that they tell of. */
export const objectsKeptMs = 30 * 24 * 3_600_000
/** Since when an object is unused that isn't waited for. Triggers write it, too. */
export const longAgo = "0000"

/** These are to go at the next look, where no row tells of them. */
export async function endObjects(db: DbOf<"core">, objects: readonly string[]): Promise<void> {
  if (objects.length === 0) return
  await db
    .updateTable("unusedObjects")
    .set({ noticedAt: longAgo, isNew: 0 })
    .where("object", "in", objects)
    .execute()
}
