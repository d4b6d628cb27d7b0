import SqliteDatabase from "better-sqlite3"
import type { Database, Statement } from "better-sqlite3"
import type { CellOfAnswer, ColumnType, TableColumn } from "../../../../shared/contract/tables.ts"
import { declaredTypes, quoted } from "../making/table-writer.ts"

export interface QueryJob {
  files: QueriedFile[]
  sql: string
  limit: number
}

/** A database created from one file, and the tables in it. */
export interface QueriedFile {
  path: string
  tables: { key: string; name: string; columns: TableColumn[] }[]
}

export interface QueryRows {
  columns: TableColumn[]
  rows: CellOfAnswer[][]
  truncated: boolean
  ms: number
}

/**
 * `wrong` is the reason why the query isn't answered; `unread` means that a file is no longer what it was. `words` is SQLite's own message.
 */
export type QueryAnswer =
  | QueryRows
  | { wrong: "only_select" | "only_tables" | "answer_too_large" | "unread" }
  | { words: string }

/** SQLite's own limit on databases in one connection. */
const maxAttached = 10
/** Maximum size of a result: bytes of all rows as JSON, plus its column names. */
const maxBytes = 4 * 2 ** 20
const maxWordsLength = 500
/** A query reads a table only once, so a cache larger than the processor's own is slower to read and write. */
const cacheKilobytes = 2000

class DatabaseUnreadable extends Error {}

/** Answers one SELECT over tables of some files. The query can reach nothing else. */
export function answerQuery({ files, sql, limit }: QueryJob): QueryAnswer {
  const database = new SqliteDatabase(":memory:")
  try {
    database.pragma("temp_store = MEMORY") // sorting uses memory and leaves nothing on disk
    database.pragma("trusted_schema = OFF")
    open(database, files)
    database.pragma("query_only = ON")
    return ask(database, sql, limit)
  } catch (error) {
    return toErrorAnswer(error)
  } finally {
    database.close()
  }
}

function toErrorAnswer(error: unknown): QueryAnswer {
  if (error instanceof DatabaseUnreadable) return { wrong: "unread" }
  const { code, message } = error as { code?: unknown; message: string }
  if (error instanceof RangeError && /more than one statement/.test(message)) return { wrong: "only_select" }
  if (typeof code === "string" && /^SQLITE_(CORRUPT|NOTADB|IOERR|CANTOPEN)/.test(code))
    return { wrong: "unread" }
  if (
    error instanceof SqliteDatabase.SqliteError ||
    error instanceof RangeError ||
    error instanceof TypeError
  )
    return { words: message.slice(0, maxWordsLength) }
  throw error
}

/** Makes each table available by its name. As many files as SQLite allows are attached; the tables of the others are copied. */
function open(database: Database, files: readonly QueriedFile[]): void {
  for (const [index, { path, tables }] of files.entries()) {
    const isAttached = index < maxAttached - Number(files.length > maxAttached)
    const schema = isAttached ? `f${index}` : "copied"
    try {
      database.prepare(`ATTACH ? AS ${schema}`).run(path)
      database.pragma(`${schema}.cache_size = -${cacheKilobytes}`)
    } catch {
      throw new DatabaseUnreadable()
    }
    for (const { key, name, columns } of tables) {
      const from = `${schema}.${quoted(key)}`
      if (isAttached) {
        database.exec(`CREATE TEMP VIEW ${quoted(name)} AS SELECT * FROM ${from}`)
      } else {
        const declared = columns.map((column) => `${quoted(column.name)} ${declaredTypes[column.type]}`)
        database.exec(`CREATE TABLE main.${quoted(name)} (${declared.join(", ")})`)
        database.exec(`INSERT INTO main.${quoted(name)} SELECT * FROM ${from}`)
      }
    }
    if (!isAttached) database.exec(`DETACH ${schema}`)
  }
}

function ask(database: Database, sql: string, limit: number): QueryAnswer {
  const started = performance.now()
  const statement = database.prepare<[], unknown[]>(sql)
  if (!statement.reader || !statement.readonly) return { wrong: "only_select" }
  if (opensForbiddenTables(database, sql)) return { wrong: "only_tables" }
  const named = statement.columns()
  const rows: CellOfAnswer[][] = []
  let truncated = false
  let bytes = named.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0)
  if (bytes > maxBytes) return { wrong: "answer_too_large" }
  for (const values of statement.raw(true).safeIntegers(true).iterate()) {
    const row = values.map((value, index) => toCell(value, named[index]?.type))
    bytes += Buffer.byteLength(JSON.stringify(row))
    truncated = rows.length >= limit || bytes > maxBytes
    if (truncated) break
    rows.push(row)
  }
  if (truncated && rows.length === 0 && limit > 0) return { wrong: "answer_too_large" }
  const columns = named.map(({ name, type }, index) => ({
    name,
    type: typeDeclared(type) ?? typeSeen(rows.map((row) => row[index] ?? null)),
  }))
  return { columns, rows, truncated, ms: Math.round(performance.now() - started) }
}

/**
 * Whether a statement opens virtual tables or a database's schema. Virtual tables reveal more than the files contain, such as their paths.
 * The schema, which always starts at a database's first page, reveals tables that are left out. The compiled statement shows both, whatever
 * names it uses.
 */
function opensForbiddenTables(database: Database, sql: string): boolean {
  const program: Statement<[], { opcode: string; p2: number }> = database.prepare(`EXPLAIN ${sql}`)
  return program
    .all()
    .some(({ opcode, p2 }) => opcode === "VOpen" || (/^(?:OpenRead|ReopenIdx)$/.test(opcode) && p2 === 1))
}

function toCell(value: unknown, declared: string | null | undefined): CellOfAnswer {
  if (typeof value === "bigint") {
    const number = Number(value)
    if (declared === declaredTypes.boolean && (value === 0n || value === 1n)) return value === 1n
    return Number.isSafeInteger(number) ? number : String(value)
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  return typeof value === "string" ? value.toWellFormed() : null
}

const byDeclaration = new Map(
  Object.entries(declaredTypes).map(([type, declared]): [string, ColumnType] => [
    declared,
    type as ColumnType,
  ]),
)
const typeDeclared = (declared: string | null): ColumnType | undefined =>
  declared === null ? undefined : byDeclaration.get(declared)

/** The type of a result column that isn't a column of a table, from its values. */
function typeSeen(values: readonly CellOfAnswer[]): ColumnType {
  const types = new Set(values.filter((value) => value !== null).map(typeOf))
  const [type = "text", another] = types
  return another === undefined ? type : "mixed"
}

function typeOf(value: CellOfAnswer): ColumnType {
  if (typeof value === "number") return "number"
  if (typeof value === "boolean") return "boolean"
  return /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?$/.test(String(value)) ? "date" : "text"
}
