import { dataDirectory, type BoxFlags } from "../box-config.ts"
import { openDatabase, type OpenDatabase } from "../core/database.ts"
import { claimDataDirectory } from "../core/data-directory/claim.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import { databasePath } from "../start-box.ts"

export interface CommandFlags extends BoxFlags {
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
}

/** A sub-command of the command line. */
export interface Command {
  words: readonly string[]
  /** Names of its arguments. */
  takes: readonly string[]
  summary: string
  /** Answers the lines to print on stdout. */
  run(flags: CommandFlags, args: readonly string[]): Promise<string[]>
}

/** Runs something on the data directory's database; the box may run meanwhile. */
export async function withDatabase<T>(
  flags: BoxFlags,
  use: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const dataDir = dataDirectory(flags)
  claimDataDirectory(dataDir)
  await using database = openDatabase(databasePath(dataDir))
  noteDatabase(dataDir)
  return await use(database)
}
