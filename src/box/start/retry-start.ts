import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../shared/contract/errors.ts"
import { isTemporary } from "../core/database/postgres/connection.ts"
import { DatabaseInUse } from "../core/database/postgres/hold-database.ts"
import { isDiskFull } from "../core/disk/disk-space.ts"
import { openLogger } from "../core/logging/logger.ts"

const retryDelayMs = 1_000
/** Maximum time in which a start is repeated. An attempt that took longer, because the box waited as a standby server, starts a new period. */
const maxMs = 600_000
/** Delay before a start is repeated that failed because this box's own disk is full. People need longer to free space. */
const fullDiskDelayMs = 5_000
/** The server notices within this time that the connection of the previous attempt is broken, and releases the box's own lock. */
const ownLockMs = 20_000

interface RetryStartOptions {
  dataDir: string
  /** Writes logs only to files, not to stderr as well. */
  quiet: boolean
  times?: { retryDelayMs: number; fullDiskDelayMs: number; maxMs: number }
}

/**
 * Repeats a start that failed because the database server was away, full or accepted no changes, and, for as long as it takes, because the
 * box's own disk is full. If another box has taken the database in the meantime, the repeated start waits as a standby server, or fails.
 * @param error why the start failed; thrown if repeating it can't help
 */
export async function retryStart<Box>(
  error: unknown,
  start: () => Promise<Box>,
  { dataDir, quiet, times = { retryDelayMs, fullDiskDelayMs, maxMs } }: RetryStartOptions,
): Promise<Box> {
  let failure = error
  let failedAt = performance.now()
  let until = failedAt + times.maxMs
  while (
    isOwnDiskFull(failure) ||
    (canRepeat(failure, performance.now() - failedAt) && performance.now() < until)
  ) {
    await logFailure(failure, dataDir, quiet)
    await wait(isOwnDiskFull(failure) ? times.fullDiskDelayMs : times.retryDelayMs)
    const startedAt = performance.now()
    try {
      return await start()
    } catch (next) {
      failure = next
      if (!(next instanceof DatabaseInUse)) failedAt = performance.now()
      if (performance.now() - startedAt > times.maxMs || isOwnDiskFull(next))
        until = performance.now() + times.maxMs
    }
  }
  throw failure
}

/** @param sinceMs time since the last failure of the database server */
function canRepeat(error: unknown, sinceMs: number): boolean {
  if (error instanceof SuppressedError) return canRepeat(error.suppressed, sinceMs)
  return isTemporary(error) || (error instanceof DatabaseInUse && sinceMs < ownLockMs)
}

/**
 * Whether the disk of this box is full, not that of the database server. Native code, such as that of the vector index, reports a full disk
 * only in words.
 */
function isOwnDiskFull(error: unknown): boolean {
  if (error instanceof SuppressedError) return isOwnDiskFull(error.suppressed)
  if (!(error instanceof Error) || error instanceof AppError || isFromServer(error)) return false
  if (error.cause instanceof Error) return isDiskFull(error) || isOwnDiskFull(error.cause)
  return isDiskFull(error) || /No space left on device/.test(error.message)
}

/** Errors of the database server have a code of five characters. */
const isFromServer = (error: Error): boolean => "code" in error && /^[0-9A-Z]{5}$/.test(String(error.code))

/** The log of the failed attempt is closed. A full disk may not accept another one. */
async function logFailure(err: unknown, dataDir: string, quiet: boolean): Promise<void> {
  const message = isOwnDiskFull(err)
    ? "The disk of the data directory is full, so the server can't start. Free some space. The server tries again until there is room"
    : "The database failed during the start. The server tries again until it works"
  try {
    await using logger = await openLogger(dataDir, { quiet })
    logger.warn({ err }, message)
  } catch (error) {
    if (!isOwnDiskFull(error)) throw error
    if (!quiet) process.stderr.write(`${message}\n`)
  }
}
