import { setTimeout as wait } from "node:timers/promises"
import { isTemporary } from "../core/database/postgres/connection.ts"
import { DatabaseInUse } from "../core/database/postgres/hold-database.ts"
import { openLogger } from "../core/logging/logger.ts"

const retryDelayMs = 1_000
/** Maximum time in which a start is repeated. An attempt that took longer, because the box waited as a standby server, starts a new period. */
const maxMs = 600_000
/** The server notices within this time that the connection of the previous attempt is broken, and releases the box's own lock. */
const ownLockMs = 20_000

interface StartAgainOptions {
  dataDir: string
  /** Writes logs only to files, not to stderr as well. */
  quiet: boolean
  times?: { retryDelayMs: number; maxMs: number }
}

/**
 * Repeats a start that failed because the database server was away, full or accepted no changes. If another box has taken the database in
 * the meantime, the repeated start waits as a standby server, or fails.
 * @param error why the start failed; thrown if repeating it can't help
 */
export async function startAgain<Box>(
  error: unknown,
  start: () => Promise<Box>,
  { dataDir, quiet, times = { retryDelayMs, maxMs } }: StartAgainOptions,
): Promise<Box> {
  let failure = error
  let failedAt = performance.now()
  let until = failedAt + times.maxMs
  while (canRepeat(failure, performance.now() - failedAt) && performance.now() < until) {
    await logFailure(failure, dataDir, quiet)
    await wait(times.retryDelayMs)
    const startedAt = performance.now()
    try {
      return await start()
    } catch (next) {
      failure = next
      if (!(next instanceof DatabaseInUse)) failedAt = performance.now()
      if (performance.now() - startedAt > times.maxMs) until = performance.now() + times.maxMs
    }
  }
  throw failure
}

/** @param sinceMs time since the last failure of the database server */
function canRepeat(error: unknown, sinceMs: number): boolean {
  if (error instanceof SuppressedError) return canRepeat(error.suppressed, sinceMs)
  return isTemporary(error) || (error instanceof DatabaseInUse && sinceMs < ownLockMs)
}

/** The log of the failed attempt is closed. */
async function logFailure(err: unknown, dataDir: string, quiet: boolean): Promise<void> {
  await using logger = await openLogger(dataDir, { quiet })
  logger.warn({ err }, "The database failed during the start. The start is repeated until it works again")
}
