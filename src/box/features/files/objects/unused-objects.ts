import type { AgeTimes } from "../../../core/age-clock.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ObjectCache } from "../../../core/objects/object-cache.ts"
import type { ObjectStore } from "../../../core/objects/object-store.ts"

const dayMs = 24 * 3_600_000
/** As long as the trash keeps files; a backup of the rows that is no older finds all that they tell of. */
const keptMs = 30 * dayMs
const lookEveryMs = 3_600_000
const objectsAtOnce = 200
/** Older than any: nothing is waited for. */
const longAgo = "0000"

export interface UnusedObjectsDeps {
  db: DbOf<"files">
  store: Pick<ObjectStore, "remove">
  cache: Pick<ObjectCache, "drop">
  times: AgeTimes
  logger: Logger
}

/** Deletes objects once no row has told of them for 30 days, or at once where their owner wants them gone for good. */
export interface UnusedObjects extends AsyncDisposable {
  start(): void
  /** Looks soon: some are to go at once. */
  wake(): void
  /** Empties the trash of objects, and deletes all of which no row tells any more. */
  endAll(): Promise<void>
}

export function createUnusedObjects({ db, store, cache, times, logger }: UnusedObjectsDeps): UnusedObjects {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false

  /** What has been in the trash for 30 days goes for good. */
  async function purgeTrash(): Promise<void> {
    const oldest = timestamp(times.now() - keptMs)
    const old = db.selectFrom("trashedFiles").select("id").where("object", "is not", null)
    const rows = await old.where("deletedAt", "<", oldest).limit(objectsAtOnce).execute()
    await endTrashed(
      db,
      rows.map(({ id }) => id),
    )
  }

  /** Those of which a row tells again, such as one that was put back, aren't unused. */
  async function forgetUsed(): Promise<void> {
    await db
      .deleteFrom("unusedObjects")
      .where((row) =>
        row.or([
          row.exists(
            row.selectFrom("files").select("files.id").whereRef("files.object", "=", "unusedObjects.object"),
          ),
          row.exists(
            row
              .selectFrom("trashedFiles")
              .select("trashedFiles.id")
              .whereRef("trashedFiles.object", "=", "unusedObjects.object"),
          ),
        ]),
      )
      .execute()
  }

  async function look(): Promise<void> {
    await purgeTrash()
    await forgetUsed()
    const now = times.now()
    await db
      .updateTable("unusedObjects")
      .set({ noticedAt: timestamp(now) })
      .where("noticedAt", "is", null)
      .execute()
    for (;;) {
      const due = await db
        .selectFrom("unusedObjects")
        .select("object")
        .where("noticedAt", "<", timestamp(now - keptMs))
        .limit(objectsAtOnce)
        .execute()
      for (const { object } of due) {
        if (stopping.signal.aborted) return
        await store.remove(object)
        await cache.drop(object)
        await db.deleteFrom("unusedObjects").where("object", "=", object).execute()
      }
      if (due.length < objectsAtOnce) return
    }
  }

  function wake(): void {
    if (looking) {
      again = true
      return
    }
    again = false
    looking = look()
      .catch((error: unknown) => logger.warn({ err: error }, "Unused objects are deleted later"))
      .finally(() => {
        looking = undefined
        if (again && !stopping.signal.aborted) wake()
      })
  }

  return {
    start() {
      wake()
      timer = setInterval(wake, lookEveryMs).unref()
    },
    wake,
    async endAll() {
      const trashed = db.selectFrom("trashedFiles").select("id").where("object", "is not", null)
      await endTrashed(
        db,
        (await trashed.execute()).map(({ id }) => id),
      )
      await db.updateTable("unusedObjects").set({ noticedAt: longAgo }).where("isNew", "=", 0).execute()
      wake()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      clearInterval(timer)
      await looking
    },
  }
}

/** Takes files out of the trash for good: their objects are deleted by the next look, unless another row tells of them. */
export async function endTrashed(db: DbOf<"files">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .selectFrom("trashedFiles")
      .select("object")
      .where("id", "in", ids)
      .where("object", "is not", null)
      .execute()
    await transaction.deleteFrom("trashedFiles").where("id", "in", ids).execute()
    await endObjects(
      transaction,
      rows.flatMap(({ object }) => object ?? []),
    )
  })
}

/** These are to go at once, where no row tells of them. */
async function endObjects(db: DbOf<"files">, objects: readonly string[]): Promise<void> {
  if (objects.length === 0) return
  await db.updateTable("unusedObjects").set({ noticedAt: longAgo }).where("object", "in", objects).execute()
}

/** The object of a file that is gone is to go at once where somebody took it out of the trash; answers whether it is. */
export async function endUntrashed(db: DbOf<"files">, object: string): Promise<boolean> {
  const kept = db.selectFrom("trashedFiles").select("id").where("object", "=", object)
  if (await kept.executeTakeFirst()) return false
  await endObjects(db, [object])
  return true
}
