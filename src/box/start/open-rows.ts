import { existsSync, statSync } from "node:fs"
import type { SpawnChild } from "../core/children/child.ts"
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
  return { database: file, file, isChecked }
}

/** Opens rows on a server, to which what is in the data directory belongs from now on. @throws DatabaseUnusable */
export async function openServerRows(dataDir: string, url: string): Promise<Rows> {
  const [{ openPostgres }, { holdDatabase }, { noteServer }] = await Promise.all([
    import("../core/database/postgres/open-postgres.ts"),
    import("../core/database/postgres/hold-database.ts"),
    import("../core/data-directory/place-of-rows.ts"),
  ])
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openPostgres(url))
  stack.use(await holdDatabase(url))
  await noteServer(dataDir, url, database.db)
  const held = stack.move()
  return {
    database: { ...database, [Symbol.asyncDispose]: () => held.disposeAsync() },
    file: null,
    isChecked: true,
  }
}
