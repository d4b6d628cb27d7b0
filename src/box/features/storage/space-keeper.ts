import { stat } from "node:fs/promises"
import { setTimeout as wait } from "node:timers/promises"
import { join } from "node:path"
import { databaseFile } from "../../core/data-layout.ts"
import type { SqliteDatabaseFile } from "../../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { isBusy } from "../../core/database/sqlite/sqlite-dialect.ts"
import { freeBytes } from "../../core/disk/free-bytes.ts"

export interface SpaceReclaimerDeps {
  dataDir: string
  database: Pick<SqliteDatabaseFile, "releaseFreePages" | "emptyLog">
  logger: Logger
  everyMs?: number
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
}: SpaceReclaimerDeps): SpaceReclaimer {
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
