import { stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { DatabaseHealth } from "../../../shared/contract/storage.ts"
import { databaseFile } from "../../core/data-layout.ts"
import type { TableFault } from "../../core/database/sqlite/integrity/check-database.ts"
import type { SqliteDatabaseFile } from "../../core/database/sqlite/open-sqlite.ts"
import { isBusy } from "../../core/database/sqlite/sqlite-dialect.ts"
import { freeBytes, isDiskFull } from "../../core/disk/disk-space.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** Watches the database while the server runs. Reading it finds damage that occurs later on the disk. */
export interface DatabaseWatch extends AsyncDisposable {
  /** Starts watching. `checked` means that the start has already read the whole database. */
  start(checked: boolean): void
  health(): DatabaseHealth
}

const everyMs = 24 * 3_600_000

/**
 * @param damaged called each time damage is found, with the damaged tables
 */
export function createDatabaseWatch(
  findFaults: (signal: AbortSignal) => Promise<TableFault[]>,
  damaged: (tables: string[]) => Promise<void>,
  logger: Logger,
): DatabaseWatch {
  const closing = new AbortController()
  let health: DatabaseHealth = { status: "unchecked", checkedAt: null, damagedTables: [] }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const faults = await findFaults(closing.signal)
    const damagedTables = [...new Set(faults.flatMap(({ table }) => table ?? []))]
    const status = faults.length === 0 ? "ok" : "damaged"
    health = { status, checkedAt: timestamp(), damagedTables }
    if (status === "ok") return
    logger.error({ faults }, 'The database is damaged. Stop the server and run "salvage DIRECTORY".')
    await damaged(damagedTables)
  }

  const run = () => {
    running = check().catch((error: unknown) => {
      if (!closing.signal.aborted) logger.error({ err: error }, "The database couldn't be checked")
    })
  }

  return {
    start(checked) {
      if (checked) health = { status: "ok", checkedAt: timestamp(), damagedTables: [] }
      else run()
      timer = setInterval(run, everyMs)
    },
    health: () => health,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closing.abort(new Error("Casella is shutting down."))
      await running
    },
  }
}

/** Frees the disk space of deleted database content and empties the write-ahead log, which still contains the deleted text. */
export interface SpaceReclaimer extends AsyncDisposable {
  start(): void
}

const minuteMs = 60_000
/** Pause in milliseconds between slices of 5 ms, so that other work gets most of the time. */
const restMs = 25
/** Minimum free space for emptying the log. On a full disk, the log keeps its size because the server writes into that space. */
const minRoomBytes = 64 * 2 ** 20

export function createSpaceReclaimer({
  dataDir,
  database,
  logger,
  everyMs = minuteMs,
}: {
  dataDir: string
  database: Pick<SqliteDatabaseFile, "releaseFreePages" | "emptyLog">
  logger: Logger
  everyMs?: number
}): SpaceReclaimer {
  const log = join(dataDir, `${databaseFile}-wal`)
  const closing = new AbortController()
  const { signal } = closing
  let running: Promise<void> = Promise.resolve()

  const rest = () => wait(restMs, undefined, { signal })

  async function keep(): Promise<void> {
    while (await database.releaseFreePages()) await rest()
    if ((await freeBytes(dataDir)) < minRoomBytes || (await stat(log)).size === 0) return
    await database.emptyLog()
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal, ref: false })
      await keep().catch((error: unknown) => {
        if (signal.aborted || isDiskFull(error) || isBusy(error)) return // tries again next time
        logger.warn({ err: error }, "The database couldn't free the space of deleted data")
      })
    }
  }

  return {
    start() {
      running = follow().catch(() => undefined) // the server is stopping
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await running
    },
  }
}
