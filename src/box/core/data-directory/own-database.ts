import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { backupsPath, databaseFile, rescuedPath, snapshotsPath } from "../data-layout.ts"
import { DatabaseUnusable } from "../database/database.ts"

/** Tables that have been in every version of Casella's database. */
const ownTables = ["users", "workspaces", "apiKeys", "settings"]

/** Whether the directory holds a database that Casella made. Only reads: the database stays unchanged. */
export function hasOwnDatabase(directory: string): boolean {
  try {
    const tables = queryUntouched(
      join(directory, databaseFile),
      "SELECT name FROM sqlite_schema WHERE type = 'table'",
    )
    return tables !== null && ownTables.every((table) => tables.includes(table))
  } catch {
    return false // not a database, or unreadable
  }
}

/** Returns the first column of a query's rows, or null if there is no database. Leaves no files next to it. Throws SQLite's errors. */
export function queryUntouched(path: string, query: string): unknown[] | null {
  if (getSize(path) === 0) return null
  const journals = [`${path}-wal`, `${path}-shm`].filter((journal) => !existsSync(journal))
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true })
  try {
    return sqlite.prepare(query).pluck().all()
  } finally {
    sqlite.close()
    for (const journal of journals) rmSync(journal, { force: true }) // SQLite creates them even for reading
  }
}

/**
 * SQLite would create an empty database in place of a missing one, and delete the content of its journal.
 * @throws DatabaseUnusable if there is none; the error names the newest available copy.
 */
export function requireDatabase(directory: string): void {
  const path = join(directory, databaseFile)
  if (getSize(path) > 0 || bringsDatabase(directory)) return
  const state = existsSync(path) ? "empty" : "missing"
  throw new DatabaseUnusable(
    `Casella's database is ${state}: ${path}. ${describeRestore(directory)} To begin anew, choose an empty directory with --data.`,
  )
}

const restorePaths = (directory: string): string[] => [
  ...["restore-ready", "restore-moving"].map((name) => join(directory, name)),
  rescuedPath(directory),
]
/** Whether a restore waits for the next start, or was interrupted and will be finished by it. */
export const isRestoring = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(path))
/** Whether such a restore brings a database. */
const bringsDatabase = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(join(path, databaseFile)))

const backupName = /^casella-backup-[\d-]+\.tgz$/
const snapshotName = /^schema-\d+\.sqlite$/
const replacedName = /^before-restore-\d+$/

/** Describes how the owner can recover the database. */
export function describeRestore(directory: string): string {
  const found = [
    ...named(backupsPath(directory), backupName),
    ...named(snapshotsPath(directory), snapshotName),
    ...named(directory, replacedName).map((path) => join(path, databaseFile)),
  ].filter((path) => getSize(path) > 0)
  const newest = found.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]
  if (newest === undefined) return 'Restore a backup of yours with "restore FILE".'
  if (backupName.test(newest.slice(backupsPath(directory).length + 1)))
    return `Restore the newest backup with "restore ${newest}".`
  const journals = `${databaseFile}-wal and ${databaseFile}-shm`
  return `Restore a backup of yours with "restore FILE", or delete ${journals} and copy ${newest} to ${join(directory, databaseFile)}.`
}

function named(directory: string, pattern: RegExp): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => pattern.test(name))
      .map((name) => join(directory, name))
  } catch {
    return [] // missing, or not a directory
  }
}

function getSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
