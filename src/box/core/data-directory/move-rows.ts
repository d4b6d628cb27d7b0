import { existsSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { databaseFile, snapshotsPath, temporaryPath } from "../data-layout.ts"
import { copyRows, summarise, type CopiedTable } from "../database/copy-rows.ts"
import { DatabaseUnusable, type Database, type OpenDatabase } from "../database/database.ts"
import { acquireDatabase } from "../database/postgres/hold-database.ts"
import { openPostgres } from "../database/postgres/open-postgres.ts"
import { isMoved, setMoved } from "../database/postgres/server-database.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { renameDurably, syncToDisk } from "../files/durable-file.ts"
import { detectRelocation } from "./marker.ts"
import { markMoving, endMoving, getId, getKnown, getServerName, noteServer } from "./database-location.ts"

export interface Moved {
  tables: { table: CopiedTable; rows: number }[]
  /** Location of the file that the rows were in; null: they were on a server. */
  before: string | null
}

export interface MoveOptions {
  dataDir: string
  signal: AbortSignal
}

/**
 * Copies all rows from a data directory's file to a server and compares every row. Only after that is the copy valid and the file put
 * aside. An interrupted move resumes where it stopped; until then nothing starts on either. It abandons a started move to a file that
 * hasn't fetched anything. The caller must hold the directory's lock.
 * @throws DatabaseUnusable
 */
export async function moveToServer(url: string, { dataDir, signal }: MoveOptions): Promise<Moved> {
  detectRelocation(dataDir) // a copy that never started gets its own ID before the server registers one
  const path = join(dataDir, databaseFile)
  const { moving, server: noted } = getKnown(dataDir)
  if (!existsSync(path) && (!moving || noted === null))
    throw new DatabaseUnusable(
      `${dataDir} has no database file. Give the directory whose data you want to move with --data.`,
    )
  await using server = await openPostgres(url, undefined, { movingFrom: getId(dataDir) })
  await using _ = await acquireDatabase(url)
  markMoving(dataDir)
  const tables = existsSync(path) ? await copyAndCompare(path, server.db, signal) : []
  await noteServer(dataDir, url, server.db)
  await setMoved(server.db, true)
  const before = existsSync(path) ? await moveAside(dataDir, path, "moved", ".sqlite") : null
  endMoving(dataDir, "server")
  return { tables, before }
}

/** Whether a data directory's rows are at `url`, or in its file if `url` is null, and no move is in progress. */
export function areRowsAt(dataDir: string, url: string | null): boolean {
  const { moving, server } = getKnown(dataDir)
  if (moving) return false
  return url === null
    ? server === null && existsSync(join(dataDir, databaseFile))
    : server?.name === getServerName(url)
}

/** Puts a moved file into the directory of snapshots; returns its new path. */
export async function moveAside(dataDir: string, path: string, name: string, ending = ""): Promise<string> {
  const dated = `${name}-${new Date().toISOString().replace(/[:.]/g, "-")}${ending}`
  const aside = join(snapshotsPath(dataDir), dated)
  await mkdir(snapshotsPath(dataDir), { recursive: true })
  await renameDurably(path, aside)
  return aside
}

/** After a complete copy, a repeated move only compares: rows that were added since then are reported as a difference and aren't lost. */
async function copyAndCompare(from: string, to: Database, signal: AbortSignal): Promise<Moved["tables"]> {
  await using file = openSqlite(from)
  if (!(await isMoved(to))) await copyRows(file.db, to, signal).catch(refusedRows)
  return await compare(file.db, to, signal)
}

/** SQLSTATE of rows that a server refuses, such as a row with a broken reference. */
const refusal = /^2[23]/

function refusedRows(error: unknown): never {
  const { code = "", table, message } = error as { code?: string; table?: string; message: string }
  if (!refusal.test(code)) throw error
  throw new DatabaseUnusable(
    `The PostgreSQL server refused ${table === undefined ? "a row" : `rows of ${table}`}: ${message}. Nothing was changed here. To keep using the file, run "move --to file".`,
    { cause: error },
  )
}

/**
 * Copies all rows from a server into the data directory's file, and compares every row. The rows stay on the server, where nothing starts
 * on them any more. It abandons a started move to a server.
 * @throws DatabaseUnusable
 */
export async function moveToFile(url: string, { dataDir, signal }: MoveOptions): Promise<Moved> {
  detectRelocation(dataDir) // a copy that never started must not move the rows of the original directory
  const path = join(dataDir, databaseFile)
  const { moving, server: noted } = getKnown(dataDir)
  if (existsSync(path) && noted === null) {
    if (!moving)
      throw new DatabaseUnusable(
        `${dataDir} already has a database file. Give an empty directory with --data.`,
      )
    endMoving(dataDir, "file")
    return { tables: [], before: null }
  }
  await using server = await openPostgres(url, undefined, { movingFrom: getId(dataDir) })
  await using _ = await acquireDatabase(url)
  await noteServer(dataDir, url, server.db)
  markMoving(dataDir)
  await setMoved(server.db, false)
  if (!existsSync(path)) await fetchInto(path, server, { dataDir, signal })
  const tables = await compareWith(path, server.db, signal)
  endMoving(dataDir, "file")
  return { tables, before: null }
}

async function fetchInto(
  path: string,
  server: OpenDatabase,
  { dataDir, signal }: MoveOptions,
): Promise<void> {
  const partial = join(temporaryPath(dataDir), databaseFile)
  await mkdir(temporaryPath(dataDir), { recursive: true, mode: 0o700 })
  for (const end of ["", "-wal", "-shm"]) await rm(`${partial}${end}`, { force: true })
  await server.copyTo(partial, signal)
  await compareWith(partial, server.db, signal)
  await syncToDisk(partial)
  await renameDurably(partial, path)
}

async function compareWith(path: string, db: Database, signal: AbortSignal): Promise<Moved["tables"]> {
  await using file = openSqlite(path)
  return await compare(db, file.db, signal)
}

async function compare(from: Database, to: Database, signal: AbortSignal): Promise<Moved["tables"]> {
  const copySummary = await summarise(to, signal)
  return [...(await summarise(from, signal))].map(([table, { rows, hash }]) => {
    const copy = copySummary.get(table)
    if (copy?.hash !== hash)
      throw new DatabaseUnusable(
        `The copy of ${table} differs: ${rows} rows here, ${copy?.rows ?? 0} there. Nothing was changed here. Create the database again and repeat the move, or run "move --to file" to keep using the file.`,
      )
    return { table, rows }
  })
}
