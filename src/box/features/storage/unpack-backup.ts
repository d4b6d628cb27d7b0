import { lstat, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { extract, type ReadEntry } from "tar"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { makeOther } from "../../core/data-directory/known-database.ts"
import { backedUpDirectories, databaseFile } from "../../core/data-layout.ts"
import { isDerivedInFile } from "../../core/database/copy-rows.ts"
import { migrations } from "../../core/database/migrations/registry.ts"
import { DatabaseUnusable, type OpenDatabase } from "../../core/database/database.ts"
import { openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { isDiskFull, freeBytes } from "../../core/disk/disk-space.ts"
import type { DatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import { syncToDisk } from "../../core/files/durable-file.ts"

/** Disk space kept free, so that the server can continue to write. */
const reserveBytes = 256 * 2 ** 20
const maxEntries = 5_000_000

export interface UnpackedCounts {
  people: number
  folders: number
  files: number
  chats: number
}

export interface AbsentFiles {
  folder: string
  /** Paths in the data directory. */
  absent: string[]
  /** Number of the folder's files that exist. */
  present: number
}

/** Functions with which features adapt or query their rows in a database from elsewhere. */
export interface DatabaseAdoption {
  /**
   * Points managed folders to their documents in this data directory, and turns off settings that applied only to the previous location.
   * Returns false if it isn't a Casella database.
   */
  adoptLocation(database: OpenDatabase, dataDir: string): Promise<boolean>
  /**
   * Does the same for a backup that is unpacked in `staging` and will be moved to `dataDir`. It also revokes everything that no one on this
   * computer has agreed to. Returns null if it isn't a Casella database.
   */
  adoptBackup(database: OpenDatabase, staging: string, dataDir: string): Promise<UnpackedCounts | null>
  /** Looks for the uploaded files that the database at this path names. Returns the folders that lack some. */
  absentFiles(database: string, directory: string): Promise<AbsentFiles[]>
}

export interface UnpackJob {
  file: string
  /** Location of the backup after the restore. */
  dataDir: string
  checker: DatabaseChecker
  adoption: DatabaseAdoption
}

/**
 * Unpacks a backup into an empty directory on the data directory's file system. Checks its contents, its size against the free space, and
 * its database. Afterwards the directory has the structure of a data directory.
 * @throws AppError `unprocessable`, `disk_full`
 */
export async function unpackBackup(
  { file, dataDir, checker, adoption }: UnpackJob,
  staging: string,
): Promise<UnpackedCounts> {
  const room = (await freeBytes(staging)) - reserveBytes
  let fault: AppError | undefined
  let bytes = 0
  let entries = 0
  const accept = (path: string, entry: ReadEntry) => {
    bytes += entry.size
    if (bytes > room) fault ??= new AppError("disk_full", sentence("storage.no_room_to_unpack"))
    if (++entries > maxEntries || !isBackupPath(path, entry)) fault ??= notABackup()
    // Files of a backup must not be executable, but the server has to read them.
    const mode = entry.mode ?? 0
    entry.mode = entry.type === "Directory" ? (mode & 0o777) | 0o700 : (mode & 0o666) | 0o400
    return fault === undefined
  }
  await extract({
    file,
    cwd: staging,
    strict: true,
    preserveOwner: false,
    filter: (path, entry) => accept(path, entry as ReadEntry),
  }).catch((cause: unknown) => {
    if (isDiskFull(cause)) throw cause
    throw fault ?? notABackup(cause)
  })
  if (fault) throw fault

  const database = join(staging, databaseFile)
  const older = (await readdir(staging)).find((name) => olderDatabase.test(`${name}/${databaseFile}`))
  if (older !== undefined) {
    await rename(join(staging, older, databaseFile), database)
    await rm(join(staging, older), { recursive: true })
  }
  if (!(await lstat(database).catch(() => null))) throw notABackup()
  try {
    await copyDatabase(database, checker)
    await using opened = openSqlite(database)
    const counts = await adoption.adoptBackup(opened, staging, dataDir)
    if (counts === null) throw notABackup()
    await makeOther(opened.db)
    return counts
  } catch (cause) {
    if (!(cause instanceof DatabaseUnusable)) throw cause
    throw new AppError("unprocessable", sentence("storage.database_damaged"), { cause })
  }
}

/**
 * Replaces the backup's database with one that is created by the migrations and contains its rows, because a backup's triggers, views and
 * indexes are code written by its author.
 */
async function copyDatabase(path: string, checker: DatabaseChecker): Promise<void> {
  await checker.requireSound(path)
  const version = await getSchemaVersion(path)
  if (version < 1) throw notABackup()
  if (version > migrations.length) throw new AppError("unprocessable", sentence("storage.newer"))
  const copy = `${path}.copy`
  // With the schema version of the backup; opening the database migrates it.
  await openSqlite(copy, migrations.slice(0, version))[Symbol.asyncDispose]()
  const made = new SqliteDatabase(copy, { readonly: true })
  const tables = made.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  made.close()
  await checker.copyRows(
    path,
    copy,
    tables.filter((table) => !isDerivedInFile(table)),
  )
  await syncToDisk(copy)
  await rename(copy, path)
}

/** `user_version` from the header of the file. Opening the file would mean trusting its schema. */
async function getSchemaVersion(path: string): Promise<number> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 60)
  return buffer.readInt32BE()
}

const notABackup = (cause?: unknown) =>
  new AppError("unprocessable", sentence("storage.not_a_backup"), { cause })

/** Backups of the first version have the database in a separate directory. */
const olderDatabase = new RegExp(`^backup-\\w+/${databaseFile.replace(".", "\\.")}$`)

/** Accepts only plain files and directories in the known locations: a link could lead out of the data directory. */
export function isBackupPath(path: string, { type }: ReadEntry): boolean {
  const name = path.replace(/^\.\//, "").replace(/\/$/, "")
  if (name.split("/").includes("..")) return false
  const [top = ""] = name.split("/")
  if (type === "Directory") return backedUpDirectories.includes(top) || /^backup-\w+$/.test(name)
  if (type !== "File" && type !== "OldFile") return false
  return (
    name === databaseFile || olderDatabase.test(name) || (backedUpDirectories.includes(top) && name !== top)
  )
}
