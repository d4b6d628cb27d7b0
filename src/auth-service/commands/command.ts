import { existsSync } from "node:fs"
import { readStorage, UsageError, type AuthFlags } from "../auth-config.ts"
import { compose } from "../compose.ts"
import { openDatabase } from "../core/open-database.ts"
import { silentLogger } from "../core/logger.ts"
import { loadSecret } from "../core/secret.ts"
import { sqlitePath } from "../core/sqlite.ts"

export interface CommandFlags extends AuthFlags {
  password?: string | undefined
  name?: string | undefined
  company?: string | undefined
  staff?: boolean | undefined
  "per-day"?: string | undefined
  "per-minute"?: string | undefined
}

/** A subcommand of the command line. It works on the database, so the service may run at the same time. */
export interface Command {
  words: readonly string[]
  /** Names of its arguments. */
  takes: readonly string[]
  summary: string
  /** Returns the lines to print on stdout. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

/**
 * Runs `use` with the service's parts, without a server. Throws `UsageError` if the data directory has no database, because its name may be
 * mistyped, unless the command may create one.
 */
export async function withParts<T>(
  flags: AuthFlags,
  use: (parts: Awaited<ReturnType<typeof compose>>) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const { dataDir, databaseUrl } = readStorage(flags)
  if (!mayCreate && databaseUrl === null && !existsSync(sqlitePath(dataDir)))
    throw new UsageError(
      `${dataDir} holds no data of the auth service. Start the service first, or name the right directory with --data.`,
    )
  const secret = loadSecret(dataDir)
  await using database = await openDatabase(dataDir, databaseUrl)
  return await use(await compose({ database, secret, publicUrl: null, logger: silentLogger }))
}

/** One line of a list. */
export const row = (...cells: (string | number | null)[]): string =>
  cells.map((cell) => cell ?? "-").join("\t")
