import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { endObjects, objectRetentionMs } from "../../../core/objects/object-rows.ts"

/** Permanently removes files from the trash. The next check deletes their objects, unless another row refers to them. */
export async function endTrashed(db: DbOf<"files">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction().execute(async (transaction) => {
    const trashed = transaction.selectFrom("trashedFiles").select("object").where("id", "in", ids)
    const objects = (await trashed.execute()).flatMap(({ object }) => object ?? [])
    await transaction.deleteFrom("trashedFiles").where("id", "in", ids).execute()
    await endObjects(transaction, objects)
  })
}

/** Removes trashed objects: all, or those that have been in the trash for 30 days at `now`. */
export async function endTrashedObjects(db: DbOf<"files">, now?: number): Promise<void> {
  const trashed = db.selectFrom("trashedFiles").select("id").where("object", "is not", null)
  const old =
    now === undefined ? trashed : trashed.where("deletedAt", "<", timestamp(now - objectRetentionMs))
  await endTrashed(
    db,
    (await old.execute()).map(({ id }) => id),
  )
}

/** Marks the object of a removed file for deletion if it is no longer in the trash. Returns whether it did. */
export async function endUntrashed(db: DbOf<"files">, object: string): Promise<boolean> {
  const kept = db.selectFrom("trashedFiles").select("id").where("object", "=", object)
  if (await kept.executeTakeFirst()) return false
  await endObjects(db, [object])
  return true
}
