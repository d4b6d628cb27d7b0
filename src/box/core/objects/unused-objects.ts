import { sql, type Transaction } from "kysely"
import type { AgeTimes } from "../age-clock.ts"
import type { DbOf } from "../database/database.ts"
import { isPostgres } from "../database/sql-helpers.ts"
import { timestamp } from "../ids.ts"
import type { Logger } from "../logging/logger.ts"
import type { ObjectCache } from "./object-cache.ts"
import { longAgo, objectRetentionMs } from "./object-rows.ts"
import type { ObjectStore } from "./object-store.ts"

/**
 * Blocks other writers of the table until the end of the transaction, and makes earlier writes visible. PostgreSQL lets a statement that
 * waited for a row evaluate it with older contents of other tables; SQLite has only one writer anyway.
 */
async function waitForWriters<Tables>(
  transaction: Transaction<Tables>,
  table: keyof Tables & string,
): Promise<void> {
  if (isPostgres(transaction))
    await sql`LOCK TABLE ${sql.table(table)} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
}

const checkIntervalMs = 3_600_000
/** Delay after a failed look, for example because the database is busy. */
const retryDelayMs = 5_000
const objectsAtOnce = 200

export interface UnusedObjectsDeps {
  db: DbOf<"core">
  store: Pick<ObjectStore, "remove">
  cache: Pick<ObjectCache, "drop">
  times: Pick<AgeTimes, "now">
  /** Removes expired items that still use objects. */
  beforeScan(): Promise<void>
  logger: Pick<Logger, "warn">
}

/** Deletes objects that no row has referred to for 30 days, or at once if their owner deletes them permanently. */
export interface UnusedObjects extends AsyncDisposable {
  start(): void
  /** Starts a look, or schedules one after the current look: some objects must be deleted at once. */
  wake(): void
  /** Settles when no look is in progress. */
  whenIdle(): Promise<void>
  /** Deletes all objects that no row refers to any more. */
  endAll(): Promise<void>
}

export function createUnusedObjects(deps: UnusedObjectsDeps): UnusedObjects {
  const { db, store, cache, times, beforeScan, logger } = deps
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let shouldRepeat = false

  /**
   * Removes the notes of objects that a row refers to again, such as one that was put back. A note that is being written at the same time
   * stays.
   */
  const forgetUsed = () =>
    db.transaction().execute(async (transaction) => {
      await waitForWriters(transaction, "unusedObjects")
      await transaction
        .deleteFrom("unusedObjects")
        .where("object", "in", (unused) => unused.selectFrom("usedObjects").select("object"))
        .execute()
    })

  async function check(): Promise<void> {
    await beforeScan()
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
        .where("noticedAt", "<", timestamp(now - objectRetentionMs))
        .where("object", "not in", (unused) => unused.selectFrom("usedObjects").select("object")) // noted since this look started
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
    if (running) {
      shouldRepeat = true
      return
    }
    shouldRepeat = false
    clearTimeout(soon)
    running = check()
      .catch((error: unknown) => {
        logger.warn({ err: error }, "Deleting unused objects is postponed")
        if (!stopping.signal.aborted) soon = setTimeout(wake, retryDelayMs).unref()
      })
      .finally(() => {
        running = undefined
        if (shouldRepeat && !stopping.signal.aborted) wake()
      })
  }

  async function whenIdle(): Promise<void> {
    if (!running) return
    await running
    await whenIdle()
  }

  return {
    start() {
      wake()
      timer = setInterval(wake, checkIntervalMs).unref()
    },
    wake,
    whenIdle,
    async endAll() {
      await db.updateTable("unusedObjects").set({ noticedAt: longAgo }).where("isNew", "=", 0).execute()
      wake()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      clearInterval(timer)
      clearTimeout(soon)
      await running
    },
  }
}
