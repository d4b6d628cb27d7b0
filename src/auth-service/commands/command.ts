import { readStorage, type AuthFlags } from "../auth-config.ts"
import { compose } from "../compose.ts"
import { openDatabase } from "../core/open-database.ts"
import { silentLogger } from "../core/logger.ts"
import { loadSecret } from "../core/secret.ts"

export interface CommandFlags extends AuthFlags {
  password?: string | undefined
  name?: string | undefined
  company?: string | undefined
  staff?: boolean | undefined
  "per-day"?: string | undefined
  "per-minute"?: string | undefined
}

/** A sub-command of the command line. It works on the database, so the service may run meanwhile. */
export interface Command {
  words: readonly string[]
  /** Names of its arguments. */
  takes: readonly string[]
  summary: string
  /** Answers the lines to print on stdout. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

/** Runs something on the parts of the service, without a server. */
export async function withParts<T>(
  flags: AuthFlags,
  use: (parts: Awaited<ReturnType<typeof compose>>) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = readStorage(flags)
  const secret = loadSecret(dataDir)
  await using database = await openDatabase(dataDir, databaseUrl)
  return await use(await compose({ database, secret, publicUrl: null, logger: silentLogger }))
}

/** One line of a list. */
export const row = (...cells: (string | number | null)[]): string =>
  cells.map((cell) => cell ?? "-").join("\t")
