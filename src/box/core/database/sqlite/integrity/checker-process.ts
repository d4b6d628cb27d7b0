import "../../../children/without-network.ts"
import { constants, setPriority } from "node:os"
import SqliteDatabase from "better-sqlite3"
import { dropRights } from "../../../children/sandbox/give-up-rights.ts"
import { connectToParent } from "../../../children/parent.ts"
import { startWatchdog } from "../../../children/heartbeat.ts"
import type { CheckReport, TableFault } from "./check-database.ts"

// Entry point of the process that reads a whole database: reading gigabytes would block the box. Its arguments are the database's path and
// a mode: "still", "live" if others write to it in the meantime, or "copy" with the path of the target database and the table names as
// JSON.

/** SQLite's cache uses 16 MB; more than this indicates a fault. */
const maxBytes = 512 * 2 ** 20
/** Maximum number of reported faults per table. */
const maxFaultsPerTable = 3

const [path = "", mode, target = "", copied = "[]"] = process.argv.slice(2)
const parent = connectToParent<never, CheckReport>()
startWatchdog({ bytes: maxBytes })
setPriority(constants.priority.PRIORITY_LOW)
new SqliteDatabase(":memory:").close() // loads the native code, which can't be loaded later
dropRights()
parent.send({ faults: mode === "copy" ? copyRows(JSON.parse(copied) as string[]) : check() })

function check(): TableFault[] {
  try {
    const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 10_000 })
    try {
      return mode === "live"
        ? tables(database).flatMap((table) => getFaults(database, table))
        : whole(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return [{ table: null, problem: describeDamage(error) }]
  }
}

function tables(database: SqliteDatabase.Database): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck()
  return names.all() as string[]
}

/** Also checks parts that belong to no table, such as the list of free pages. The tables are checked only if this succeeds. */
function whole(database: SqliteDatabase.Database): TableFault[] {
  const problem = database.pragma("integrity_check(1)", { simple: true }) as string
  if (problem === "ok") return []
  const known = tables(database).flatMap((table) => getFaults(database, table))
  return known.length > 0 ? known : [{ table: null, problem }]
}

/** Checks one table and its indexes in a single read transaction. The write-ahead log can't be emptied during that time. */
function getFaults(database: SqliteDatabase.Database, table: string): TableFault[] {
  try {
    return database
      .prepare("SELECT integrity_check FROM pragma_integrity_check(?) WHERE integrity_check <> 'ok' LIMIT ?")
      .pluck()
      .all(table, maxFaultsPerTable)
      .map((problem) => ({ table, problem: String(problem) }))
  } catch (error) {
    return [{ table, problem: describeDamage(error) }]
  }
}

/**
 * Copies rows from an untrusted database into the same, empty tables of `target`. Copies nothing of the schema and reads only plain tables:
 * views, virtual tables and generated columns can execute code.
 */
function copyRows(names: readonly string[]): TableFault[] {
  const database = new SqliteDatabase(target, { fileMustExist: true })
  let table: string | null = null
  try {
    database.pragma("foreign_keys = OFF") // a salvaged database has rows whose parents are lost
    database.pragma("trusted_schema = OFF")
    database.pragma("journal_mode = OFF") // a failed copy is deleted
    database.pragma("synchronous = OFF") // the caller syncs the copy to the disk
    database.prepare("ATTACH ? AS untrusted").run(path)
    for (table of names) {
      const problem = copyTable(database, table)
      if (problem !== null) return [{ table, problem }]
    }
    return []
  } catch (error) {
    return [{ table, problem: explainRefusal(error) }]
  } finally {
    database.close()
  }
}

function copyTable(database: SqliteDatabase.Database, table: string): string | null {
  const kind = "SELECT wr AS hasNoNumbers, type FROM pragma_table_list WHERE schema = ? AND name = ?"
  const own = database.prepare(kind).get("main", table) as { hasNoNumbers: number }
  const found = database.prepare(kind).get("untrusted", table) as { type: string } | undefined
  if (found?.type !== "table") return "It isn't a table."
  const columns = database.prepare("SELECT name, hidden FROM pragma_table_xinfo(?, ?)")
  if (columns.all(table, "untrusted").some((column) => (column as { hidden: number }).hidden !== 0))
    return "It has columns that are computed."
  const list = columns.all(table, "main").map((column) => `"${(column as { name: string }).name}"`)
  const order = own.hasNoNumbers === 1 ? "" : "NOT INDEXED ORDER BY rowid"
  const all = list.join(", ")
  database.exec(`INSERT INTO main."${table}" (${all}) SELECT ${all} FROM untrusted."${table}" ${order}`)
  return null
}

/** Returns why a row or a table can't be copied, if the cause is its own content. Any other error, such as a full disk, ends the copy. */
function explainRefusal(error: unknown): string {
  const { code, message } = error as { code: string; message: string }
  if (/^SQLITE_(CONSTRAINT|ERROR|MISMATCH|TOOBIG)/.test(code)) return message
  return describeDamage(error)
}

/** Returns what SQLite couldn't read. Any other error says nothing about the database, and ends the check. */
function describeDamage(error: unknown): string {
  const { code, message } = error as { code: string; message: string }
  if (/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(code)) return message
  throw error
}
