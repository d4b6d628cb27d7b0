import { existsSync } from "node:fs"
import { lstat, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { create, extract } from "tar"
import { AppError } from "../../shared/contract/errors.ts"
import { dataDirectory } from "../box-config.ts"
import { checkIntegrity, openDatabase } from "../core/database.ts"
import { managedFoldersPath } from "../core/data-layout.ts"
import { describe } from "../engines/folder-watcher/scan.ts"
import { lockDataDirectory } from "../core/instance-lock.ts"
import { databasePath } from "../start-box.ts"
import { withDatabase, type Command } from "./command.ts"

/** What a backup holds besides the database. The search index is rebuilt, so it isn't in it. */
const kept = ["folders", "trash"]

/** One file with everything that can't be made again: database, uploaded files, trash. */
export async function writeBackup(dataDir: string, file: string): Promise<void> {
  if (existsSync(file)) throw new AppError("conflict", `${file} exists already. Choose another name.`)
  const staging = await mkdtemp(join(dataDir, "backup-"))
  const partial = `${file}.partial`
  try {
    await withDatabase({ data: dataDir }, async (database) =>
      database.copyTo(join(staging, "casella.sqlite")),
    )
    const directories = kept.filter((name) => existsSync(join(dataDir, name)))
    const database = `${basename(staging)}/casella.sqlite`
    await create({ file: partial, cwd: dataDir, gzip: { level: 1 }, portable: true }, [
      database,
      ...directories,
    ])
    await rename(partial, file)
  } finally {
    await rm(staging, { recursive: true, force: true })
    await rm(partial, { force: true })
  }
}

/** Puts a backup in the place of what the data directory holds, which is kept beside it. The box must not run. */
export async function restoreBackup(dataDir: string, file: string): Promise<string | null> {
  if (!existsSync(file)) throw new AppError("not_found", `There is no file ${file}.`)
  using lock = lockDataDirectory(dataDir)
  if (!lock)
    throw new AppError("conflict", "The box is running on this data directory. Stop it, then restore.")
  const staging = await mkdtemp(join(dataDir, "restore-"))
  try {
    await extract({ file, cwd: staging, strict: true }).catch((cause: unknown) => {
      throw new AppError("validation", `${file} isn't a Casella backup, or it is damaged.`, { cause })
    })
    const inner = (await readdir(staging)).find((name) => name.startsWith("backup-"))
    const database = join(staging, inner ?? "", "casella.sqlite")
    if (!existsSync(database)) throw new AppError("validation", `${file} isn't a Casella backup.`)
    checkIntegrity(database)
    await adoptFolders(database, staging, dataDir)
    const previous = await setAside(dataDir)
    await rename(database, databasePath(dataDir))
    for (const name of kept) {
      if (existsSync(join(staging, name))) await rename(join(staging, name), join(dataDir, name))
    }
    return previous
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/**
 * Uploaded files may be restored into another directory than the one they were in, and an archive doesn't keep their
 * inodes and exact times. Without writing the new ones down, all of them would count as changed and be read again.
 */
async function adoptFolders(path: string, staging: string, dataDir: string): Promise<void> {
  await using database = openDatabase(path)
  await database.db.transaction().execute(async (trx) => {
    const managed = await trx.selectFrom("folders").select("id").where("managed", "=", 1).execute()
    for (const { id } of managed) {
      const directory = join(managedFoldersPath(dataDir), id)
      await trx.updateTable("folders").set({ path: directory }).where("id", "=", id).execute()
      const files = await trx
        .selectFrom("files")
        .select(["id", "subFolder", "name", "size"])
        .where("folderId", "=", id)
        .execute()
      for (const file of files) {
        const place = join(managedFoldersPath(staging), id, file.subFolder, file.name)
        const stats = await lstat(place, { bigint: true }).catch(() => null)
        if (!stats || Number(stats.size) !== file.size) continue // changed after the database was copied
        const { modifiedMs, identity } = describe(file.name, stats)
        await trx.updateTable("files").set({ modifiedMs, identity }).where("id", "=", file.id).execute()
      }
    }
  })
}

async function setAside(dataDir: string): Promise<string | null> {
  const replaced = ["casella.sqlite", "casella.sqlite-wal", "casella.sqlite-shm", "index", ...kept]
  const present = replaced.filter((name) => existsSync(join(dataDir, name)))
  if (present.length === 0) return null
  const target = join(dataDir, `before-restore-${Date.now()}`)
  await mkdir(target)
  for (const name of present) await rename(join(dataDir, name), join(target, name))
  return target
}

export const backupCommands: readonly Command[] = [
  {
    words: ["backup"],
    takes: ["FILE"],
    summary: "write one file with everything, while the box runs or not",
    async run(flags, [file = ""]) {
      await writeBackup(dataDirectory(flags), resolve(file))
      return [`Wrote ${resolve(file)}`]
    },
  },
  {
    words: ["restore"],
    takes: ["FILE"],
    summary: "put a backup back; the box must be stopped",
    async run(flags, [file = ""]) {
      const previous = await restoreBackup(dataDirectory(flags), resolve(file))
      return [
        `Restored ${resolve(file)}`,
        ...(previous === null ? [] : [`What was there before is in ${previous}`]),
      ]
    },
  },
]
