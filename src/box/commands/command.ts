import { existsSync } from "node:fs"
import { hasServer, requireKnownServer, requirePlaceOfRows } from "../core/data-directory/place-of-rows.ts"
import { databaseUrl, dataDirectory, type BoxFlags } from "../box-config.ts"
import { DatabaseUnusable, type OpenDatabase } from "../core/database/database.ts"
import { openSqlite } from "../core/database/sqlite/open-sqlite.ts"
import { claimDataDirectory, isUnused } from "../core/data-directory/claim.ts"
import { takeDataDirectory } from "../core/data-directory/run-file.ts"
import { rescuedPath } from "../core/data-layout.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import { isRestoring } from "../core/data-directory/own-database.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { applyStagedRestore } from "../features/storage/apply-restore.ts"
import { databasePath } from "../start/open-data.ts"
import { TerminalError } from "../core/terminal-error.ts"

export interface CommandFlags extends BoxFlags {
  to?: string | undefined
  name?: string | undefined
  user?: string | undefined
  scope?: string[] | undefined
  description?: string | undefined
  type?: string | undefined
  category?: string | undefined
  link?: string | undefined
  chat?: string | undefined
  "dedupe-key"?: string | undefined
  key?: string | undefined
  folder?: string[] | undefined
  assistant?: string | undefined
  json?: boolean | undefined
  limit?: string | undefined
  choices?: string | undefined
  default?: string | undefined
  timeout?: string | undefined
  server?: string | undefined
  "key-from-stdin"?: boolean | undefined
}

/** An option of a command. */
export interface Flag {
  name: keyof CommandFlags
  /** What it takes, as help shows it; none for a switch. */
  takes?: string
  about: string
  /** Whose names complete it. */
  names?: NamedKind
}

/** What people name on the command line. */
export type NamedKind = "folder" | "model" | "assistant"

/** A sub-command of the command line. */
export interface Command {
  words: readonly string[]
  /** Names of its arguments; those in brackets may be left out. */
  takes: readonly string[]
  summary: string
  /** Its options, besides `--data` and `--help`. */
  flags: readonly Flag[]
  /** Whose names complete its argument. */
  names?: NamedKind
  /** It is a client of the running box: 1 is the exit status of what fails, 2 that of wrong usage only. */
  callsBox?: true
  /** Exit status of whatever fails, wrong usage too, where smaller ones are answers. */
  failureStatus?: number
  /** Not for people. */
  hidden?: true
  /** Answers the lines to print on stdout, when it hasn't printed already. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

export interface DatabaseChoice {
  /** Address of the database instead of the one that the flags name; null: it is in the data directory. */
  url?: string | null
  /** Makes a database where no box has run yet. */
  create?: boolean
}

/**
 * Runs something on the data directory's database, or the one on a server; boxes may run meanwhile.
 * @throws AppError `unavailable` while a backup is being restored, which brings another database; `not_found` if there is no
 *   database and `create` isn't set, so that a mistyped directory stays as it is
 */
export async function withDatabase<T>(
  flags: BoxFlags,
  use: (database: OpenDatabase) => Promise<T>,
  { url = databaseUrl(flags), create = false }: DatabaseChoice = {},
): Promise<T> {
  const dataDir = dataDirectory(flags)
  requirePlaceOfRows(dataDir, url)
  if (url !== null) {
    if (!hasServer(dataDir))
      throw new DatabaseUnusable(
        `No box has its rows on that server with ${dataDir} yet. Start one first, or name the right directory with --data.`,
      )
    const { openPostgres } = await import("../core/database/postgres/open-postgres.ts")
    await using server = await openPostgres(url)
    await requireKnownServer(dataDir, url, server.db)
    return await use(server)
  }
  if (!create && isUnused(dataDir))
    throw new TerminalError(
      "not_found",
      `${dataDir} holds no data of Casella. Start the box first, or name the right directory with --data.`,
    )
  claimDataDirectory(dataDir)
  if (isRestoring(dataDir)) await finishRestore(dataDir)
  await using database = openSqlite(databasePath(dataDir))
  noteDatabase(dataDir)
  return await use(database)
}

/** A restore that waits for the next start, or was cut off, is ended first: what is changed before it would be gone after it. */
async function finishRestore(dataDir: string): Promise<void> {
  using lock = await takeDataDirectory(dataDir)
  if (lock) await applyStagedRestore(dataDir, silentLogger)
  else if (existsSync(rescuedPath(dataDir)))
    throw new TerminalError(
      "unavailable",
      "A file of Casella's database was removed, replaced or written over while it runs. Restart Casella first.",
    )
  else if (!existsSync(databasePath(dataDir)))
    throw new TerminalError("unavailable", "A backup is being restored. Try again when the box is ready.")
}
