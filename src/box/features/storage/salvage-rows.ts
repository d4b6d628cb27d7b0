import type SqliteDatabase from "better-sqlite3"
import { isDerivedInFile } from "../../core/database/copy-rows.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"

export interface SalvagedTable {
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
export function salvageRows(connection: SqliteDatabase.Database): SalvagedTable[] {
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
