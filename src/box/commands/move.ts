import { databaseUrl, dataDirectory, filesAddress, readDatabaseUrl } from "../box-config.ts"
import { takeDataDirectory } from "../core/data-directory/instance-lock.ts"
import { endProcess, listenForStop, onStop } from "../core/process/stop-signals.ts"
import { writeOutput } from "../core/logging/logger.ts"
import { TerminalError } from "../core/terminal-error.ts"
import {
  areRowsAt,
  moveToFile,
  moveToServer,
  type MoveOptions,
  type Moved,
} from "../core/data-directory/move-rows.ts"
import { detectRelocation } from "../core/data-directory/marker.ts"
import type { Database } from "../core/database/database.ts"
import { withDatabase, type Command, type CommandFlags } from "./command.ts"

const file = "file"
/** Maximum time that a server or an object store can delay the stop of a move. */
const stopTimeoutMs = 5_000
const stopped = "The move was stopped. Run the same command again to continue."

export const moveCommand: Command = {
  words: ["move"],
  takes: [],
  summary: "Move data to PostgreSQL or an object store, or back; the server must be stopped",
  flags: [
    {
      name: "to",
      takes: "ADDRESS | file",
      about: "New database: postgres://name:password@host/database, or a file in the data directory",
    },
    {
      name: "files",
      takes: "ADDRESS | directory",
      about: "New location of files: s3://bucket/prefix, or the data directory",
    },
  ],
  async run(flags) {
    const { to: rowsTo, files } = flags
    if (rowsTo === undefined && files === undefined)
      throw new TerminalError(
        "validation",
        "Choose what to move: data with --to postgres://… or --to file, files with --files s3://… or --files directory.",
      )
    const dataDir = dataDirectory(flags)
    using lock = await takeDataDirectory(dataDir)
    if (!lock)
      throw new TerminalError("conflict", "The server is running on this data directory. Stop it, then move.")
    const stop = new AbortController()
    listenForStop()
    onStop(() => {
      if (stop.signal.aborted) return endAtOnce()
      stop.abort(new TerminalError("unavailable", stopped))
      setTimeout(endAtOnce, stopTimeoutMs).unref()
    })
    const { signal } = stop
    const isToDirectory = files === "directory"
    const store = filesAddress(isToDirectory ? {} : flags)
    if (files !== undefined && store === null)
      throw new TerminalError("validation", "Set where the files are now: CASELLA_FILES=s3://bucket/prefix.")
    const url =
      rowsTo === undefined ? databaseUrl(flags) : rowsTo === file ? null : readDatabaseUrl(rowsTo, "--to")
    // If the rows were already moved, the same command continues with the files.
    const isForFiles = rowsTo === undefined || (files !== undefined && areRowsAt(dataDir, url))
    const rows = isForFiles ? [] : await moveRows(flags, url, { dataDir, signal })
    if (files === undefined || store === null) return rows
    detectRelocation(dataDir) // the object store identifies the owner of its files by the directory's ID
    const { moveFiles } = await import("./move-files.ts")
    const to = isToDirectory ? "directory" : "store"
    return withDatabase(
      flags,
      async ({ db: database }) => {
        await using _ = url === null ? null : await holdRows(url, dataDir, database)
        return [...rows, ...(await moveFiles({ store, to, database, dataDir, signal }))]
      },
      { url },
    )
  },
}

/** Ends the process at any point of the move. A move that was interrupted resumes where it stopped. */
function endAtOnce(): never {
  writeOutput(process.stderr, `${stopped}\n`)
  endProcess(2)
}

/** Makes sure that no box on another data directory is using these rows, and that the files belong to this directory. */
async function holdRows(url: string, dataDir: string, db: Database): Promise<AsyncDisposable> {
  const [{ acquireDatabase }, { noteServer }] = await Promise.all([
    import("../core/database/postgres/hold-database.ts"),
    import("../core/data-directory/database-location.ts"),
  ])
  await using stack = new AsyncDisposableStack()
  stack.use(await acquireDatabase(url))
  await noteServer(dataDir, url, db)
  return stack.move()
}

/** @param url of the server that receives the rows; null: they go into the file */
async function moveRows(flags: CommandFlags, url: string | null, options: MoveOptions): Promise<string[]> {
  if (url === null)
    return describeMoved(
      await moveToFile(getSource(flags), options),
      "From now on, start without --database-url.",
    )
  return describeMoved(await moveToServer(url, options), "From now on, start with --database-url.")
}

function getSource(flags: CommandFlags): string {
  const url = databaseUrl(flags)
  if (url !== null) return url
  throw new TerminalError(
    "validation",
    "Give the database where the data is now: --database-url postgres://…",
  )
}

function describeMoved({ tables, before }: Moved, next: string): string[] {
  return [
    ...tables.map(({ table, rows }) => `${table}\t${rows} rows, compared`),
    before === null
      ? "The data also stays on the PostgreSQL server. Delete that database when everything works."
      : `The previous data is in ${before}. Delete it when everything works.`,
    next,
  ]
}
