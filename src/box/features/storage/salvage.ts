import { existsSync } from "node:fs"
import { mkdir, readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { claimDataDirectory, isRestoring } from "../../core/data-directory/claim.ts"
import { newMarker, writeMarker } from "../../core/data-directory/marker.ts"
import { databaseFile, unfinishedSalvage } from "../../core/data-layout.ts"
import { isDerivedInFile } from "../../core/database/copy-rows.ts"
import { DatabaseUnusable } from "../../core/database/database.ts"
import { migrations } from "../../core/database/migrations/registry.ts"
import { toDatabaseUnusable, openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../../core/disk/disk-space.ts"
import { linkOrCopy, renameDurably, syncToDisk } from "../../core/files/durable-file.ts"
import { TerminalError } from "../../core/terminal-error.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"

interface SalvagedTable {
  table: string
  rows: number
  /** Number of rows that couldn't be read or kept; null if no index gives the total number. */
  lost: number | null
  /** SQLite's error message for the first lost row. */
  problem: string | null
}

const rowsAtOnce = 10_000
/** Number of consecutive row numbers that are tried one by one when none is readable, before larger steps are taken. */
const numbersAtOnce = 10_000
const lowest = -(2n ** 63n)
const highest = 2n ** 63n - 1n

/**
 * Copies every readable row from the tables of `damaged`, a schema attached to the connection, into the same, empty tables of `main`. The
 * time depends on the number of rows and pages, not on the row numbers.
 * @throws SQLite's error for a full disk
 */
function salvageRows(connection: SqliteDatabase.Database): SalvagedTable[] {
  const tables = connection
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[]
  return tables.filter((table) => !isDerivedInFile(table)).map((table) => salvageTable(connection, table))
}

/** Copies consecutive rows together. If that fails, it tries half of them, down to the single row that is lost. */
function salvageTable(connection: SqliteDatabase.Database, table: string): SalvagedTable {
  let rows = 0
  let problem: string | null = null
  const source = `FROM damaged."${table}" NOT INDEXED WHERE rowid >= ? ORDER BY rowid`
  const columns = (connection.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table) as string[])
    .map((name) => `"${name}"`)
    .join(", ")
  if (
    connection
      .prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
      .pluck()
      .get(table)
  )
    return salvageWhole(connection, table, columns)
  const copy = connection.prepare(
    `INSERT INTO main."${table}" (${columns}) SELECT ${columns} ${source} LIMIT ?`,
  )
  const numbers = connection.prepare(`SELECT rowid ${source} LIMIT 1 OFFSET ?`).pluck().safeIntegers()
  /** The number of the row at this offset from the first row with this number or a higher one. */
  const readNumber = (from: bigint, offset: number) => numbers.get(from, offset) as bigint | undefined
  const isReadable = (number: bigint) => attempt(() => [readNumber(number, 0)]) !== undefined

  let known: BigInt64Array | null | undefined
  const readIndex = () => (known === undefined ? (known = numbersInIndex(connection, table)) : known)
  let from = isReadable(lowest) ? lowest : (readIndex()?.[0] ?? 1n)
  let count = rowsAtOnce
  for (;;) {
    try {
      const end = readNumber(from, count - 1)
      rows += copy.run(from, count).changes
      if (end === undefined || end === highest) break
      from = (end > from ? end : from) + 1n // damaged numbers may be out of order
      count = Math.min(2 * count, rowsAtOnce)
    } catch (error) {
      if (isDiskFull(error)) throw error
      problem ??= (error as Error).message
      if (count > 1) count = Math.floor(count / 2)
      else {
        const next = isReadable(from)
          ? (readNumber(from, 0) ?? highest) + 1n
          : nextReadable(from, readIndex(), isReadable)
        if (next === undefined || next > highest) break
        from = next
      }
    }
  }
  const lost = problem === null ? 0 : (readIndex()?.length ?? null)
  return { table, rows, lost: lost && Math.max(0, lost - rows), problem }
}

/** Copies a table without row numbers completely or not at all; such tables are small. */
function salvageWhole(connection: SqliteDatabase.Database, table: string, columns: string): SalvagedTable {
  try {
    const copy = `INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM damaged."${table}"`
    return { table, rows: connection.prepare(copy).run().changes, lost: 0, problem: null }
  } catch (error) {
    if (isDiskFull(error)) throw error
    return { table, rows: 0, lost: null, problem: (error as Error).message }
  }
}

/** The first number after an unreadable one from which rows are readable again. Without `known` it may miss some rows that are far away. */
function nextReadable(
  unreadable: bigint,
  known: BigInt64Array | null,
  isReadable: (number: bigint) => boolean,
): bigint | undefined {
  if (known !== null) return known.find((number) => number > unreadable && isReadable(number))
  let [bad, step] = [unreadable, 1n]
  for (let tries = 0; !isReadable(bad + step); tries++) {
    bad += step
    if (tries >= numbersAtOnce) step *= 2n
    if (bad + step > highest) return undefined
  }
  let good = bad + step
  while (good - bad > 1n) {
    const middle = (good + bad) / 2n
    if (isReadable(middle)) good = middle
    else bad = middle
  }
  return good
}

/** The sorted numbers of all rows, from the first index that is completely readable. */
function numbersInIndex(connection: SqliteDatabase.Database, table: string): BigInt64Array | null {
  const indexes = connection
    .prepare("SELECT name FROM pragma_index_list(?, 'main') WHERE partial = 0")
    .pluck()
  for (const index of indexes.all(table) as string[]) {
    const numbers = connection.prepare(`SELECT rowid FROM damaged."${table}" INDEXED BY "${index}"`)
    const found = attempt(() =>
      BigInt64Array.from(numbers.pluck().safeIntegers().iterate() as Iterable<bigint>),
    )
    if (found !== undefined) return found.sort()
  }
  return null
}

/** Returns undefined if the value can't be read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isDiskFull(error)) throw error
    return undefined
  }
}

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
    throw new TerminalError(
      "conflict",
      `${target} is in the damaged data directory. Choose a directory outside it.`,
    )
  await mkdir(target, { recursive: true, mode: 0o700 })
  if ((await readdir(target)).length > 0)
    throw new TerminalError("conflict", `${target} isn't empty. Choose a new directory.`)
  if (isRestoring(dataDir))
    throw new TerminalError(
      "conflict",
      `A restore into ${dataDir} isn't finished. Start the server once to finish it, then salvage.`,
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
