import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { backupsPath, databaseFile, rescuedPath, snapshotsPath } from "../data-layout.ts"
import { DatabaseUnusable } from "../database/database.ts"

/** Tables that every Casella's database has had. */
const ownTables = ["users", "workspaces", "apiKeys", "settings"]

/** Whether the directory holds a database that a Casella made. Looks only: whoever's it is, it stays as it is. */
export function hasOwnDatabase(directory: string): boolean {
  try {
    const tables = queryUntouched(
      join(directory, databaseFile),
      "SELECT name FROM sqlite_schema WHERE type = 'table'",
    )
    return tables !== null && ownTables.every((table) => tables.includes(table))
  } catch {
    return false // not a database, or one that can't be read
  }
}

/** The first column of a query's rows, or null if there is no database. Leaves no files beside it. Throws what SQLite throws. */
export function queryUntouched(path: string, query: string): unknown[] | null {
  if (sizeOf(path) === 0) return null
  const journals = [`${path}-wal`, `${path}-shm`].filter((journal) => !existsSync(journal))
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true })
  try {
    return sqlite.prepare(query).pluck().all()
  } finally {
    sqlite.close()
    for (const journal of journals) rmSync(journal, { force: true }) // SQLite makes them also for reading
  }
}

/**
 * SQLite would make an empty database in the place of one that is gone, and delete what its journal still holds.
 * @throws DatabaseUnusable when there is none, with the newest copy there is.
 */
export function requireDatabase(directory: string): void {
  const path = join(directory, databaseFile)
  if (sizeOf(path) > 0 || bringsDatabase(directory)) return
  const state = existsSync(path) ? "empty" : "missing"
  throw new DatabaseUnusable(
    `Casella's database is ${state}: ${path}. ${wayToRestore(directory)} To begin anew, choose an empty directory with --data.`,
  )
}

const restorePaths = (directory: string): string[] => [
  ...["restore-ready", "restore-moving"].map((name) => join(directory, name)),
  rescuedPath(directory),
]
/** Whether a restore waits for the next start, or was cut off and is ended by it. */
export const isRestoring = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(path))
/** A database that such a restore brings. */
const bringsDatabase = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(join(path, databaseFile)))

const backupName = /^casella-backup-[\d-]+\.tgz$/
const snapshotName = /^schema-\d+\.sqlite$/
const replacedName = /^before-restore-\d+$/

/** What its owner can do to get the database back. */
export function wayToRestore(directory: string): string {
  const found = [
    ...named(backupsPath(directory), backupName),
    ...named(snapshotsPath(directory), snapshotName),
    ...named(directory, replacedName).map((path) => join(path, databaseFile)),
  ].filter((path) => sizeOf(path) > 0)
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
    return [] // not there, or not a directory
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
