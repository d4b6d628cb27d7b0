import { lstat, readdir, rename, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { extract, type ReadEntry } from "tar"
import { AppError } from "../../../shared/contract/errors.ts"
import { makeOther } from "../../core/data-directory/known-database.ts"
import { backedUpDirectories, databaseFile, managedFoldersPath, storedPath } from "../../core/data-layout.ts"
import { DatabaseUnusable, openDatabase, type Database } from "../../core/database.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import type { DatabaseChecker } from "../../core/integrity/check-database.ts"
import { describe } from "../../engines/folder-watcher/scan.ts"

/** Kept free, so that the box can go on writing. */
const reserveBytes = 256 * 2 ** 20
const mostEntries = 5_000_000

export interface UnpackedCounts {
  people: number
  folders: number
  files: number
  chats: number
}

/**
 * Unpacks a backup into an empty directory of the data directory's file system, and checks it: what it is made of, its
 * size against the free space, its database. Afterwards the directory holds what a data directory would.
 * @throws AppError `unprocessable`, `disk_full`
 */
export async function unpackBackup(
  file: string,
  staging: string,
  checker: DatabaseChecker,
): Promise<UnpackedCounts> {
  const { bavail, bsize } = await statfs(staging)
  const room = bavail * bsize - reserveBytes
  let fault: AppError | undefined
  let bytes = 0
  let entries = 0
  const accept = (path: string, entry: ReadEntry) => {
    bytes += entry.size
    if (bytes > room)
      fault ??= new AppError("disk_full", "There isn't enough free disk space to unpack the backup.")
    if (++entries > mostEntries || !belongs(path, entry)) fault ??= notABackup()
    return fault === undefined
  }
  await extract({
    file,
    cwd: staging,
    strict: true,
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
    await checker.requireSound(database)
    await using opened = openDatabase(database)
    await adoptFolders(opened.db, staging)
    await unlinkPrograms(opened.db)
    await cutCircles(opened.db)
    await makeOther(opened.db)
    return await count(opened.db)
  } catch (cause) {
    if (!(cause instanceof DatabaseUnusable)) throw cause
    const newer = /newer Casella/.test(cause.message)
    throw new AppError(
      "unprocessable",
      newer
        ? "This backup was made by a newer Casella. Update Casella, then restore it."
        : "The database in this backup is damaged. Choose another backup.",
      { cause },
    )
  }
}

const notABackup = (cause?: unknown) =>
  new AppError("unprocessable", "This isn't a Casella backup, or it is damaged.", { cause })

/** Backups of the first version have the database in a directory of its own. */
const olderDatabase = new RegExp(`^backup-\\w+/${databaseFile.replace(".", "\\.")}$`)

/** Plain files and directories in the known places only: a link could lead out of the data directory. */
export function belongs(path: string, { type }: ReadEntry): boolean {
  const name = path.replace(/^\.\//, "").replace(/\/$/, "")
  if (name.split("/").includes("..")) return false
  const [top = ""] = name.split("/")
  if (type === "Directory") return backedUpDirectories.includes(top) || /^backup-\w+$/.test(name)
  if (type !== "File" && type !== "OldFile") return false
  return (
    name === databaseFile || olderDatabase.test(name) || (backedUpDirectories.includes(top) && name !== top)
  )
}

/** The id of a folder becomes the name of its directory, which goes to the trash when the folder is deleted. */
const isName = /^[\w-]{1,100}$/

/**
 * A database from elsewhere may name any directory for uploaded files, and an archive doesn't keep their inodes and exact
 * times. Without writing the new ones down, all of them would count as changed and be read again.
 */
export async function adoptFolders(db: Database, staging: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const managed = await trx.selectFrom("folders").select("id").where("managed", "=", 1).execute()
    if (managed.some(({ id }) => !isName.test(id))) throw notABackup()
    for (const { id } of managed) {
      const directory = managedFoldersPath(staging)
      const path = storedPath(staging, join(directory, id))
      await trx.updateTable("folders").set({ path }).where("id", "=", id).execute()
      const files = await trx
        .selectFrom("files")
        .select(["id", "subFolder", "name", "size"])
        .where("folderId", "=", id)
        .execute()
      for (const file of files) {
        const place = join(directory, id, file.subFolder, file.name)
        const stats = await lstat(place, { bigint: true }).catch(() => null)
        if (!stats || Number(stats.size) !== file.size) continue // changed after the database was copied
        const { modifiedMs, identity } = describe(file.name, stats)
        await trx.updateTable("files").set({ modifiedMs, identity }).where("id", "=", file.id).execute()
      }
    }
  })
}

/** Nobody on this computer has consented to what a backup says that was consented to: no program starts before someone does. */
async function unlinkPrograms(db: Database): Promise<void> {
  const isProgram = sql<boolean>`json_valid(target) AND json_extract(target, '$.kind') = 'command'`
  await db.updateTable("toolServers").set({ linkedAt: null }).where(isProgram).execute()
}

/** A message that leads to itself would be followed for ever: each must stand deeper than the one before it. */
async function cutCircles(db: Database): Promise<void> {
  await db
    .updateTable("messages")
    .set({ parentId: null })
    .where("parentId", "is not", null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("messages as parent")
            .select("parent.id")
            .whereRef("parent.id", "=", "messages.parentId")
            .whereRef("parent.depth", "<", "messages.depth"),
        ),
      ),
    )
    .execute()
}

async function count(db: Database): Promise<UnpackedCounts> {
  const rows = async (table: "users" | "folders" | "files" | "conversations") => {
    const { found } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as("found"))
      .executeTakeFirstOrThrow()
    return found
  }
  const people = await rows("users")
  if (people === 0) throw notABackup()
  return {
    people,
    folders: await rows("folders"),
    files: await rows("files"),
    chats: await rows("conversations"),
  }
}
