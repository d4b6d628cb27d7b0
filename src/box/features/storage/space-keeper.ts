import { stat } from "node:fs/promises"
import { setTimeout as wait } from "node:timers/promises"
import { join } from "node:path"
import { databaseFile } from "../../core/data-layout.ts"
import type { SqliteDatabaseFile } from "../../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { isBusy } from "../../core/database/sqlite/sqlite-dialect.ts"
import { freeBytes } from "../../core/disk/free-bytes.ts"

export interface SpaceKeeperDeps {
  dataDir: string
  database: Pick<SqliteDatabaseFile, "giveBack" | "emptyLog">
  logger: Logger
  everyMs?: number
}

/** Gives the disk back what deletions in the database left free, and empties its write-ahead log, in which their text is still. */
export interface SpaceKeeper extends AsyncDisposable {
  start(): void
}

const minuteMs = 60_000
/** Between slices of 5 ms: others have most of the time. */
const restMs = 25
/** With less room than this the log stays as large as it is: on a full disk the box writes where it is. */
const leastRoomBytes = 64 * 2 ** 20

export function createSpaceKeeper({
  dataDir,
  database,
  logger,
  everyMs = minuteMs,
}: SpaceKeeperDeps): SpaceKeeper {
  const log = join(dataDir, `${databaseFile}-wal`)
  const closing = new AbortController()
  const { signal } = closing
  let running: Promise<void> = Promise.resolve()

  const rest = () => wait(restMs, undefined, { signal })

  async function keep(): Promise<void> {
    while (await database.giveBack()) await rest()
    if ((await freeBytes(dataDir)) < leastRoomBytes || (await stat(log)).size === 0) return
    await database.emptyLog()
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal, ref: false })
      await keep().catch((error: unknown) => {
        if (signal.aborted || isDiskFull(error) || isBusy(error)) return // the next time
        logger.warn({ err: error }, "The database couldn't give back the room of what was deleted")
      })
    }
  }

  return {
    start() {
      running = follow().catch(() => undefined) // the box ends
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await running
    },
  }
}
