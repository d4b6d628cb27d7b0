import type SqliteDatabase from "better-sqlite3"

export interface SalvagedTable {
  table: string
  rows: number
  /**
   * Rows that couldn't be read or kept; null when nobody knows how many. In a damaged page the numbers of deleted rows count
   * as well: it is that many at most.
   */
  lost: number | null
  /** What SQLite said of the first of them. */
  problem: string | null
}

const rowsAtOnce = 10_000
/** What triggers fill as rows are written, and full-text search with the tables behind it. */
const derived = /^(notificationCounts|searchedMessages|namedFiles|messageTexts.*|fileNames.*|sqlite_.*)$/

/**
 * Copies every row that can be read from the tables of `damaged`, a schema attached to the connection, into the same tables of
 * `main`, which are empty. A range of rows that holds damage is halved until the rows in it stand alone.
 */
export function salvageRows(connection: SqliteDatabase.Database): SalvagedTable[] {
  const tables = connection
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[]
  return tables.filter((table) => !derived.test(table)).map((table) => salvageTable(connection, table))
}

function salvageTable(connection: SqliteDatabase.Database, table: string): SalvagedTable {
  let [rows, lost] = [0, 0]
  let problem: string | null = null
  const columns = (connection.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table) as string[])
    .map((name) => `"${name}"`)
    .join(", ")
  const insert = (condition: string) =>
    connection.prepare(
      `INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM damaged."${table}" NOT INDEXED ${condition}`,
    )
  const one = insert("WHERE rowid = ?")
  const range = insert("WHERE rowid BETWEEN ? AND ?")

  function copy(first: number, last: number): void {
    try {
      // a range reads on to the row after it, which may be the damaged one
      rows += (first === last ? one.run(first) : range.run(first, last)).changes
    } catch (error) {
      if (first === last) {
        lost++
        problem ??= (error as Error).message
        return
      }
      const middle = Math.floor((first + last) / 2)
      copy(first, middle)
      copy(middle + 1, last)
    }
  }

  const last = lastRow(connection, table)
  if (last instanceof Error) return { table, rows, lost: null, problem: last.message }
  for (let first = 1; first <= last; first += rowsAtOnce) copy(first, Math.min(first + rowsAtOnce - 1, last))
  return { table, rows, lost, problem }
}

/** The highest number of a row, from the table itself or, where that can't be read, from one of its indexes. */
function lastRow(connection: SqliteDatabase.Database, table: string): number | Error {
  let problem: unknown
  for (const by of ["NOT INDEXED", ...indexesOf(connection, table)]) {
    try {
      const found = connection.prepare(`SELECT max(rowid) FROM damaged."${table}" ${by}`).pluck().get()
      return (found as number | null) ?? 0
    } catch (error) {
      problem ??= error // an index may be whole
    }
  }
  return problem as Error
}

function indexesOf(connection: SqliteDatabase.Database, table: string): string[] {
  const names = connection.prepare("SELECT name FROM pragma_index_list(?, 'main') WHERE partial = 0").pluck()
  return (names.all(table) as string[]).map((name) => `INDEXED BY "${name}"`)
}
