import { existsSync } from "node:fs"
import { constants } from "node:os"
import { databaseUrl, dataDirectory, type BoxFlags } from "../box-config.ts"
import { claimDataDirectory, isUnused, isRestoring } from "../core/data-directory/claim.ts"
import {
  hasServer,
  requireKnownServer,
  requireRowsLocation,
} from "../core/data-directory/database-location.ts"
import { takeDataDirectory } from "../core/data-directory/instance-lock.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import { rescuedPath } from "../core/data-layout.ts"
import { DatabaseUnusable, type OpenDatabase } from "../core/database/database.ts"
import { openSqlite } from "../core/database/sqlite/open-sqlite.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { applyStagedRestore } from "../features/storage/apply-restore.ts"
import { databasePath } from "../start/open-data.ts"

/** The command line is wrong, and nothing was changed. */
export class UsageError extends TerminalError {
  constructor(text: string) {
    super("validation", text)
  }
}

/** Signals that stop a command. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A command was stopped, or no one reads its output any more. It prints no message. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: (typeof stopSignals)[number] | "SIGPIPE") {
    super(`Stopped by ${signal}.`)
    this.status = 128 + constants.signals[signal]
  }
}

/** A command failed with its own exit status. */
export class Failed extends Error {
  readonly status: number

  constructor(cause: unknown, status: number) {
    super("", { cause })
    this.status = status
  }
}

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
  directory?: string | undefined
  wait?: boolean | undefined
}

/** An option of a command. */
export interface Flag {
  name: keyof CommandFlags
  /** Its value, as help shows it; none for a switch. */
  takes?: string
  about: string
  /** Kind of names that complete it. */
  names?: NamedKind
  /** The command doesn't work without it. */
  required?: true
}

/** Every list and result has it. */
export const jsonFlag: Flag = { name: "json", about: "Print as JSON" }

/** Reads `--limit`. Throws `UsageError` unless it is a number from 1 to `max`. */
export function readLimit(given: string | undefined, max: number): number | undefined {
  if (given === undefined) return undefined
  const limit = Number(given)
  if (/^\d+$/.test(given) && limit >= 1 && limit <= max) return limit
  throw new UsageError(`--limit takes a number from 1 to ${max}.`)
}

/** Things that users name on the command line. */
export type NamedKind = "folder" | "model" | "assistant"

/** A subcommand of the command line. */
export interface Command {
  words: readonly string[]
  /** Names of its arguments; those in brackets are optional, and the last one may end in "…" for several. */
  takes: readonly string[]
  summary: string
  /** Its options, in addition to `--data` and `--help`. */
  flags: readonly Flag[]
  /** Kind of names that complete its argument. */
  names?: NamedKind
  /** It is a client of the running box: it exits with 1 on failure, and with 2 only on wrong usage. */
  callsBox?: true
  /** Exit status of any failure, including wrong usage, for a command whose smaller statuses are answers. */
  failureStatus?: number
  /** Not shown to users. */
  hidden?: true
  /** Returns the lines to print on stdout, if it hasn't printed already. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

export interface DatabaseChoice {
  /** URL of the database, instead of the one that the flags name; null means the data directory. */
  url?: string | null
  /** Creates a database if no box has run yet. */
  create?: boolean
}

/**
 * Runs `use` on the data directory's database or the one on a server; boxes may run at the same time.
 * @throws AppError `unavailable` while a backup is being restored, which replaces the database; `not_found` if there is no database and
 * `create` isn't set, so that a mistyped directory isn't changed
 */
export async function withDatabase<T>(
  flags: BoxFlags,
  use: (database: OpenDatabase) => Promise<T>,
  { url = databaseUrl(flags), create = false }: DatabaseChoice = {},
): Promise<T> {
  const dataDir = dataDirectory(flags)
  requireRowsLocation(dataDir, url)
  if (url !== null) {
    if (!hasServer(dataDir))
      throw new DatabaseUnusable(
        `That PostgreSQL database has no data of ${dataDir} yet. Start the server first, or give the right directory with --data.`,
      )
    const { openPostgres } = await import("../core/database/postgres/open-postgres.ts")
    await using server = await openPostgres(url)
    await requireKnownServer(dataDir, url, server.db)
    return await use(server)
  }
  if (!create && isUnused(dataDir))
    throw new TerminalError(
      "not_found",
      `${dataDir} contains no data of Casella. Start the server first, or give the right directory with --data.`,
    )
  claimDataDirectory(dataDir)
  if (isRestoring(dataDir)) await finishRestore(dataDir)
  await using database = openSqlite(databasePath(dataDir))
  noteDatabase(dataDir)
  return await use(database)
}

/** Finishes a restore that waits for the next start or was interrupted, because it would discard earlier changes. */
async function finishRestore(dataDir: string): Promise<void> {
  using lock = await takeDataDirectory(dataDir)
  if (lock) await applyStagedRestore(dataDir, silentLogger)
  else if (existsSync(rescuedPath(dataDir)))
    throw new TerminalError(
      "unavailable",
      "A file of Casella's database was removed, replaced or overwritten while Casella was running. Restart Casella first.",
    )
  else if (!existsSync(databasePath(dataDir)))
    throw new TerminalError("unavailable", "A backup is being restored. Try again when Casella is ready.")
}
