import { mkdirSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"

/** Held while a box runs on a data directory. */
export interface InstanceLock extends Disposable {}

/**
 * Takes the data directory for this process, or answers null when another box has it. The lock is an exclusive
 * SQLite transaction, so the operating system releases it however the process ends.
 */
export function lockDataDirectory(dataDir: string): InstanceLock | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 }) // conversations and documents are nobody else's to read
  const lock = new SqliteDatabase(join(dataDir, "box.lock"), { timeout: 0 })
  try {
    lock.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null
    throw error
  }
  return { [Symbol.dispose]: () => void lock.close() }
}
