import { existsSync, truncateSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { claimDataDirectory, lockFile, type ClaimOptions } from "./claim.ts"

const holderFile = "in-use"

/** Held while a box runs on a data directory. */
export interface InstanceLock extends Disposable {}

/**
 * Locks the data directory for this process, or returns null if another box has it. The lock is an exclusive SQLite transaction, so the
 * operating system releases it however the process ends.
 * @throws the errors of `claimDataDirectory`
 */
export function lockDataDirectory(dataDir: string, options?: ClaimOptions): InstanceLock | null {
  claimDataDirectory(dataDir, options)
  const path = join(dataDir, lockFile)
  try {
    return lockIn(path)
  } catch (error) {
    if (!["SQLITE_NOTADB", "SQLITE_CORRUPT"].includes((error as { code?: string }).code ?? "")) throw error
    // The box never writes to this file, so another program did. SQLite checks the lock before the content, so no one holds it.
    truncateSync(path)
    return lockIn(path)
  }
}

/** Marks a directory as in use by this process until it ends or releases it; returns null if another process has it. */
export const holdDirectory = (directory: string): Disposable | null => lockIn(join(directory, holderFile))

/** Whether a running process has the directory in use. */
export function isLocked(directory: string): boolean {
  if (!existsSync(join(directory, holderFile))) return false
  try {
    using mine = holdDirectory(directory)
    return mine === null
  } catch {
    return false // not a file that a box made
  }
}

function lockIn(path: string): InstanceLock | null {
  const lock = new SqliteDatabase(path, { timeout: 0 })
  try {
    lock.pragma("journal_mode = MEMORY") // nothing is written, because the disk may be full
    lock.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null
    throw error
  }
  return { [Symbol.dispose]: () => void lock.close() }
}
