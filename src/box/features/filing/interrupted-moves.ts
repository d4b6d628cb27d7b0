import type { DbOf } from "../../core/database/database.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { KeyedLock } from "../../core/waiting/locks.ts"
import type { FilingPlanner } from "./planning.ts"
import { toLocation, type FilingLocation, type FilingRecords, type RecordArrival } from "./records.ts"
import { readLocations, type FilingRow, type FilingStore } from "./store.ts"

export interface InterruptedFiles {
  completeMove(
    ownerId: string,
    fileId: string,
    taken: string,
    from: FilingLocation,
    to: FilingLocation,
    put: RecordArrival,
  ): Promise<boolean>
}

interface InterruptedMovesDeps {
  db: DbOf<"filing">
  files: InterruptedFiles
  logger: Pick<Logger, "error">
  store: FilingStore
  /** Held for a file while it is moved. */
  lock: KeyedLock
  planner: FilingPlanner
  records: FilingRecords
}

/** Delay before retrying to finish interrupted filings. */
const retryDelayMs = 30_000

/** Finishes the moves that were interrupted when the server stopped, and those that failed in both directions. */
export class InterruptedMoves implements Disposable {
  readonly #deps: InterruptedMovesDeps
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: InterruptedMovesDeps) {
    this.#deps = deps
  }

  async finish(): Promise<void> {
    const { store, lock, logger } = this.#deps
    let isLeft = false
    for (const row of await store.listInterrupted())
      await lock
        .run(row.fileId, () => this.#finishMove(row))
        .catch((error: unknown) => {
          isLeft = true
          logger.error(
            { err: error, fileId: row.fileId },
            "A file that was being moved waits for its location",
          )
        })
    if (isLeft) this.#scheduleRetry()
  }

  async #finishMove(row: FilingRow): Promise<void> {
    const { db, files, store, planner, records } = this.#deps
    const { was: before, became: after } = readLocations(row)
    if (before === null || row.taken === null) return
    const isUndoing = row.status === "undoing"
    const [from, to] = isUndoing ? [after, before] : [before, after]
    const description = await records.loadDescription(row, null)
    const origin = toLocation(from)
    await files.completeMove(
      row.ownerId,
      row.fileId,
      row.taken,
      origin,
      (await planner.canMove(from.vectorId, to.vectorId)) ? toLocation(to) : origin,
      isUndoing ? records.afterUndo(row, description.by) : records.afterMove(row, description),
    )
    const left = await store.find(row.ownerId, row.id)
    if (left?.taken) await db.transaction().execute((transaction) => store.remove(transaction, row.id)) // its folders are gone
  }

  #scheduleRetry(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.finish().catch(() => undefined), retryDelayMs).unref()
  }

  /** Schedules a retry, because the file may be in no folder, and rethrows the error to the caller. */
  retryLaterAndThrow(error: unknown): never {
    this.#scheduleRetry()
    throw error
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}
