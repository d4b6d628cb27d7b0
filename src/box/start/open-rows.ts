import { existsSync, statSync } from "node:fs"
import type { SpawnChild } from "../core/children/child.ts"
import type { Forwarding } from "./forwarding.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { RowsOwner } from "../core/objects/owned-store.ts"
import { checkIntegrity, openSqlite, type SqliteDatabaseFile } from "../core/database/sqlite/open-sqlite.ts"
import { convertDatabase } from "../core/database/sqlite/space/convert-database.ts"
import type { Logger } from "../core/logging/logger.ts"

/**
 * Databases up to this size are checked in full at startup. The check takes about 0.1 s after an interrupted run or an imported database,
 * and a few ms after a clean shutdown. Larger databases are checked while the box runs.
 */
const largestCheckedBytes = { doubtful: 64 * 2 ** 20, wellEnded: 4 * 2 ** 20 }

export interface Rows {
  database: OpenDatabase
  /** The same database if rows are in a file, which the box maintains. Null if rows are on a database server. */
  file: SqliteDatabaseFile | null
  /** The whole database was read and is intact. */
  isChecked: boolean
  /** Identifies the rows to an object store. Null if they are in a file created in this data directory. */
  owner: RowsOwner | null
  /** Answers for the box until it is ready, if it had to wait as a standby server. */
  forwarding: Forwarding | null
  /**
   * Call when startup is complete. After that, a write that waits too long for other programs fails, and the box ends if another box takes
   * its database.
   */
  started(): void
}

interface FileRowsOptions {
  spawn: SpawnChild
  logger: Logger
  /** The database file was replaced, or the last run didn't shut down cleanly. */
  isDoubtful: boolean
}

/** Opens the database file of a data directory. @throws DatabaseUnusable */
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
  return { database: file, file, isChecked, owner: null, forwarding: null, started: () => undefined }
}
