import "../../../children/without-network.ts"
import { constants, setPriority } from "node:os"
import SqliteDatabase from "better-sqlite3"
import { giveUpRights } from "../../../children/walls/give-up-rights.ts"
import { connectToParent } from "../../../children/parent.ts"
import { startWatchdog } from "../../../children/watchdog.ts"
import type { CheckReport, TableFault } from "./check-database.ts"

// Entry of the process that checks a database: reading gigabytes would make the box stand still. Its arguments are the
// database's path, and "live" if others write to it meanwhile.

/** SQLite's cache takes 16 MB; more than this is a fault. */
const mostBytes = 512 * 2 ** 20
/** Faults that are told of one table: one is enough to know. */
const toldOfATable = 3

const [path = "", mode] = process.argv.slice(2)
const parent = connectToParent<never, CheckReport>()
startWatchdog({ bytes: mostBytes })
setPriority(constants.priority.PRIORITY_LOW)
new SqliteDatabase(":memory:").close() // loads the native code, which can't be loaded afterwards
giveUpRights()
parent.send({ faults: check() })

function check(): TableFault[] {
  try {
    const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 10_000 })
    try {
      return mode === "live"
        ? tables(database).flatMap((table) => faultsOf(database, table))
        : whole(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return [{ table: null, problem: damageOf(error) }]
  }
}

function tables(database: SqliteDatabase.Database): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck()
  return names.all() as string[]
}

/** Also what belongs to no table, such as the list of free pages; only when that is well, each table is. */
function whole(database: SqliteDatabase.Database): TableFault[] {
  const problem = database.pragma("integrity_check(1)", { simple: true }) as string
  if (problem === "ok") return []
  const known = tables(database).flatMap((table) => faultsOf(database, table))
  return known.length > 0 ? known : [{ table: null, problem }]
}

/** One table and its indexes, in one reading transaction: as long as that lasts, the write-ahead log can't be emptied. */
function faultsOf(database: SqliteDatabase.Database, table: string): TableFault[] {
  try {
    return database
      .prepare("SELECT integrity_check FROM pragma_integrity_check(?) WHERE integrity_check <> 'ok' LIMIT ?")
      .pluck()
      .all(table, toldOfATable)
      .map((problem) => ({ table, problem: String(problem) }))
  } catch (error) {
    return [{ table, problem: damageOf(error) }]
  }
}

/** What SQLite couldn't read. Anything else is no word about the database: it ends the check. */
function damageOf(error: unknown): string {
  const { code, message } = error as { code: string; message: string }
  if (/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(code)) return message
  throw error
}
