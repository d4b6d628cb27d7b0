import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { endObjects, objectsKeptMs } from "../../../core/objects/object-rows.ts"

/** Takes files out of the trash for good: their objects are deleted by the next look, unless another row tells of them. */
export async function endTrashed(db: DbOf<"files">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction().execute(async (transaction) => {
    const trashed = transaction.selectFrom("trashedFiles").select("object").where("id", "in", ids)
    const objects = (await trashed.execute()).flatMap(({ object }) => object ?? [])
    await transaction.deleteFrom("trashedFiles").where("id", "in", ids).execute()
    await endObjects(transaction, objects)
  })
}

/** Takes out what is in the trash as objects: all, or what has been there for 30 days at this time. */
export async function endTrashedObjects(db: DbOf<"files">, now?: number): Promise<void> {
  const trashed = db.selectFrom("trashedFiles").select("id").where("object", "is not", null)
  const old = now === undefined ? trashed : trashed.where("deletedAt", "<", timestamp(now - objectsKeptMs))
  await endTrashed(
    db,
    (await old.execute()).map(({ id }) => id),
  )
}

/** The object of a file that is gone is to go at once where somebody took it out of the trash; answers whether it is. */
export async function endUntrashed(db: DbOf<"files">, object: string): Promise<boolean> {
  const kept = db.selectFrom("trashedFiles").select("id").where("object", "=", object)
  if (await kept.executeTakeFirst()) return false
  await endObjects(db, [object])
  return true
}
