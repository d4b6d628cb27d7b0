import { existsSync } from "node:fs"
import { mkdir, readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { newMarker, writeMarker } from "../../core/data-directory/marker.ts"
import { claimDataDirectory } from "../../core/data-directory/claim.ts"
import { isRestoring } from "../../core/data-directory/own-database.ts"
import { databaseFile, unfinishedSalvage } from "../../core/data-layout.ts"
import { DatabaseUnusable } from "../../core/database/database.ts"
import { toDatabaseUnusable, openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import { linkOrCopy, renameDurably, syncToDisk } from "../../core/files/durable-file.ts"
import { migrations } from "../../core/database/migrations/registry.ts"
import { salvageRows, type SalvagedTable } from "./salvage-rows.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"
import { TerminalError } from "../../core/terminal-error.ts"

export interface Salvage {
  tables: SalvagedTable[]
  /** Number of rows that refer to lost rows, by table. These rows are kept. */
  dangling: { table: string; rows: number }[]
  files: number
  /** Files that couldn't be read, or that the database names but that don't exist, as paths in the data directory. */
  lostFiles: string[]
}

/** Parts that can be rebuilt, belong to a single run, or are an older state, which stays in the damaged directory. */
const leftOut =
  /^(casella\.sqlite(-wal|-shm)?|casella\.json|box\.(lock|json)|index|reserve|tmp|uploads|logs|snapshots|backups|restore-(ready|moving|rescued)|before-restore-.*)$/

/**
 * Writes the readable parts of a damaged data directory into a new one: every row of every table, and all files, as hard links if possible.
 * The damaged directory isn't changed; the new one becomes a data directory only when it is complete. Call it while no server runs on the
 * damaged directory.
 * @throws DatabaseUnusable if not even the list of tables can be read
 */
export async function salvage(
  dataDir: string,
  target: string,
  adoption: Pick<DatabaseAdoption, "adoptLocation" | "absentFiles">,
): Promise<Salvage> {
  if (!relative(dataDir, target).startsWith(".."))
    throw new TerminalError("conflict", `${target} is in the damaged data directory. Name one outside it.`)
  await mkdir(target, { recursive: true, mode: 0o700 })
  if ((await readdir(target)).length > 0)
    throw new TerminalError("conflict", `${target} isn't empty. Name a new directory.`)
  if (isRestoring(dataDir))
    throw new TerminalError(
      "conflict",
      `A restore into ${dataDir} isn't finished. Start the box once, which ends it, then salvage.`,
    )
  const source = join(dataDir, databaseFile)
  if (!existsSync(source)) throw new TerminalError("not_found", `There is no database in ${dataDir}.`)
  const path = join(target, unfinishedSalvage)
  const { tables, dangling } = await salvageDatabase(source, path)
  const lostFiles: string[] = []
  const files = await linkAll(dataDir, target, "", lostFiles)
  {
    await using database = openSqlite(path)
    await adoption.adoptLocation(database, target)
  }
  const absent = (await adoption.absentFiles(path, target)).flatMap((folder) => folder.absent)
  await renameDurably(path, join(target, databaseFile)) // only now does it become a data directory
  writeMarker(target, newMarker(target, true)) // includes any other files of the damaged one
  claimDataDirectory(target)
  return { tables, dangling, files, lostFiles: [...new Set([...lostFiles, ...absent])] }
}

async function salvageDatabase(source: string, path: string): Promise<Pick<Salvage, "tables" | "dangling">> {
  // Stays open until the end. Otherwise another connection would be the last to close, and would write the journal into the damaged file.
  const reader = openReader(source)
  const version = reader.pragma("user_version", { simple: true }) as number
  // Creates tables with the damaged database's schema version; the next start migrates them.
  await openSqlite(path, migrations.slice(0, version))[Symbol.asyncDispose]()
  const connection = new SqliteDatabase(path)
  try {
    connection.pragma("foreign_keys = OFF") // parent rows may be lost
    connection.pragma("synchronous = OFF") // synced as a whole
    connection.prepare("ATTACH ? AS damaged").run(source)
    const tables = salvageRows(connection)
    const dangling = connection
      .prepare(
        'SELECT "table", count(DISTINCT rowid) AS rows FROM pragma_foreign_key_check(NULL, \'main\') GROUP BY "table"',
      )
      .all() as Salvage["dangling"]
    return { tables, dangling }
  } finally {
    connection.close() // empties the new database's write-ahead log
    reader.close()
    await syncToDisk(path)
  }
}

function openReader(source: string): SqliteDatabase.Database {
  try {
    const reader = new SqliteDatabase(source, { readonly: true })
    reader.prepare("SELECT count(*) FROM sqlite_schema").get()
    return reader
  } catch (cause) {
    if (/^SQLITE_(CANTOPEN|READONLY|FULL|IOERR_SHM)/.test(String((cause as { code?: unknown }).code)))
      throw toDatabaseUnusable(cause) // the database may be undamaged, but the disk is full or read-only
    throw new DatabaseUnusable(
      `Nothing of the database can be read, not even the list of its tables (${(cause as Error).message}). Restore a backup, or take the newest copy from the snapshots directory.`,
      { cause },
    )
  }
}

/** Returns the number of files that were linked or copied. */
async function linkAll(from: string, to: string, inside: string, lost: string[]): Promise<number> {
  let files = 0
  const entries = await readdir(join(from, inside), { withFileTypes: true }).catch(() => {
    lost.push(`${inside}/`)
    return []
  })
  for (const entry of entries) {
    const name = join(inside, entry.name)
    if (inside === "" && leftOut.test(entry.name)) continue
    if (entry.isDirectory()) {
      await mkdir(join(to, name), { mode: 0o700 })
      files += await linkAll(from, to, name, lost)
    } else if (entry.isFile()) {
      await linkOrCopy(join(from, name), join(to, name)).then(
        () => files++,
        (error: unknown) => {
          if (isDiskFull(error)) throw error // the file is readable, and another disk may have room for it
          lost.push(name)
        },
      )
    }
  }
  return files
}
