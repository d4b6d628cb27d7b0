import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { existsSync } from "node:fs"
import { databaseFile, snapshotsPath, temporaryPath } from "../data-layout.ts"
import { idOf, noteFile, noteServer } from "./place-of-rows.ts"
import { copyRows, summarise, type CopiedTable } from "../database/copy-rows.ts"
import type { Database } from "../database/database.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { openPostgres } from "../database/postgres/open-postgres.ts"
import { disown, endMove, isMoved } from "../database/postgres/server-database.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { renameDurably, syncToDisk } from "../files/durable-file.ts"

export interface Moved {
  tables: { table: CopiedTable; rows: number }[]
  /** Where the file is now that the rows were in; null: they were on a server, and are there still. */
  before: string | null
}

export interface MoveOptions {
  dataDir: string
  signal: AbortSignal
}

/**
 * Copies all rows of a data directory's file to a server and compares every row; only then they count there, and the file is put aside.
 * One that was cut off goes on where it was. For whoever holds the directory's lock.
 * @throws DatabaseUnusable
 */
export async function moveToServer(url: string, { dataDir, signal }: MoveOptions): Promise<Moved> {
  const path = join(dataDir, databaseFile)
  if (!existsSync(path))
    throw new DatabaseUnusable(
      `${dataDir} has no rows in a file. Name the directory whose rows you mean with --data.`,
    )
  await using server = await openPostgres(url, undefined, { movingFrom: idOf(dataDir) })
  const tables = (await isMoved(server.db)) ? [] : await copyAndCompare({ from: path, to: server.db, signal })
  await endMove(server.db)
  await noteServer(dataDir, url, server.db)
  const aside = join(snapshotsPath(dataDir), `moved-${new Date().toISOString().replace(/[:.]/g, "-")}.sqlite`)
  await mkdir(snapshotsPath(dataDir), { recursive: true })
  await rename(path, aside)
  return { tables, before: aside }
}

async function copyAndCompare({ from, to, signal }: { from: string; to: Database; signal: AbortSignal }) {
  await using file = openSqlite(from)
  await copyRows(file.db, to, signal)
  return await compare(file.db, to, signal)
}

/**
 * Copies all rows from a server into the data directory's file, and compares every row; they stay on the server too.
 * @throws DatabaseUnusable
 */
export async function moveToFile(url: string, { dataDir, signal }: MoveOptions): Promise<Moved> {
  const path = join(dataDir, databaseFile)
  if (existsSync(path))
    throw new DatabaseUnusable(`${dataDir} has rows in a file already. Name an empty directory with --data.`)
  const partial = join(temporaryPath(dataDir), databaseFile)
  await mkdir(temporaryPath(dataDir), { recursive: true, mode: 0o700 })
  await rm(partial, { force: true })
  await using server = await openPostgres(url)
  await noteServer(dataDir, url, server.db) // throws where what is in the directory belongs to others
  await server.copyTo(partial, signal)
  const tables = await compareWith(partial, server.db, signal)
  await syncToDisk(partial)
  await renameDurably(partial, path)
  await disown(server.db)
  noteFile(dataDir)
  return { tables, before: null }
}

async function compareWith(path: string, db: Database, signal: AbortSignal) {
  await using file = openSqlite(path)
  return await compare(db, file.db, signal)
}

async function compare(from: Database, to: Database, signal: AbortSignal): Promise<Moved["tables"]> {
  const there = await summarise(to, signal)
  return [...(await summarise(from, signal))].map(([table, { rows, hash }]) => {
    const copy = there.get(table)
    if (copy?.hash !== hash)
      throw new DatabaseUnusable(
        `The copy of ${table} differs: ${rows} rows here, ${copy?.rows ?? 0} there. Nothing was changed here. Stop whatever writes there, make the database anew and move again.`,
      )
    return { table, rows }
  })
}
