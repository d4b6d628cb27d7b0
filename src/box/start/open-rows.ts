import { existsSync, statSync } from "node:fs"
import type { SpawnChild } from "../core/children/child.ts"
import type { Shared } from "../core/data-directory/shared-rows.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import { checkIntegrity, openSqlite, type SqliteDatabaseFile } from "../core/database/sqlite/open-sqlite.ts"
import { convertDatabase } from "../core/database/sqlite/space/convert-database.ts"
import type { Logger } from "../core/logging/logger.ts"

/**
 * Databases up to this size are checked in full before anything else: after a run that was cut off, or once another one was brought,
 * which takes about 0.1 s, and after a run that ended well, which takes a few ms. Larger ones beside the running box.
 */
const largestCheckedBytes = { doubtful: 64 * 2 ** 20, wellEnded: 4 * 2 ** 20 }

export interface Rows {
  database: OpenDatabase
  /** The same where rows are in a file, of which the box takes care; null: a server does. */
  file: SqliteDatabaseFile | null
  /** All of it was read and found whole. */
  isChecked: boolean
  /** The data directory that the rows began with, by whose id an object store knows them; null: the one here. */
  owner: string | null
}

interface FileRowsOptions {
  spawn: SpawnChild
  logger: Logger
  /** Another file came, or the last run didn't end well. */
  isDoubtful: boolean
}

/** Opens the rows of a data directory. @throws DatabaseUnusable */
export async function openFileRows(
  dataDir: string,
  path: string,
  { spawn, logger, isDoubtful }: FileRowsOptions,
): Promise<Rows> {
  const largestChecked = largestCheckedBytes[isDoubtful ? "doubtful" : "wellEnded"]
  const isChecked = !existsSync(path) || statSync(path).size <= largestChecked
  if (isChecked) checkIntegrity(path)
  await convertDatabase(path, spawn, logger)
  const file = openSqlite(path)
  noteDatabase(dataDir)
  return { database: file, file, isChecked, owner: null }
}

/**
 * Opens rows on a server, to which what is in the data directory belongs from now on. With `shared`, the box waits for another that runs
 * there, to take its place.
 * @throws DatabaseUnusable
 */
export async function openServerRows(
  dataDir: string,
  url: string,
  shared: Shared | null,
  logger: Logger,
): Promise<Rows> {
  const [{ openPostgres }, { holdDatabase }, { noteServer }, { ownerOf }] = await Promise.all([
    import("../core/database/postgres/open-postgres.ts"),
    import("../core/database/postgres/hold-database.ts"),
    import("../core/data-directory/place-of-rows.ts"),
    import("../core/database/postgres/server-database.ts"),
  ])
  const mayWait = shared && (() => waitFor(dataDir, url, shared, logger))
  await using stack = new AsyncDisposableStack()
  const hold = stack.use(await (mayWait ? holdDatabase(url, mayWait) : holdDatabase(url)))
  const database = stack.use(await openPostgres(url, undefined, { held: hold }))
  await noteServer(dataDir, url, database.db, shared !== null)
  const owner = await ownerOf(database.db)
  const held = stack.move()
  return {
    database: { ...database, [Symbol.asyncDispose]: () => held.disposeAsync() },
    file: null,
    isChecked: true,
    owner,
  }
}

async function waitFor(dataDir: string, url: string, shared: Shared, logger: Logger): Promise<void> {
  const { requireMayWait } = await import("../core/data-directory/require-may-wait.ts")
  await requireMayWait(dataDir, url, shared)
  logger.info({}, "Another box runs on the database. This one takes its place when it ends")
}
