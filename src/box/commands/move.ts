import { databaseUrl, dataDirectory, readDatabaseUrl } from "../box-config.ts"
import { takeDataDirectory } from "../core/data-directory/run-file.ts"
import { listenForStop, onStop } from "../core/process/stop-signals.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { moveToFile, moveToServer, type Moved } from "../core/data-directory/move-rows.ts"
import type { Command, CommandFlags } from "./command.ts"

const file = "file"

export const moveCommand: Command = {
  words: ["move"],
  takes: [],
  summary: "move all rows to a PostgreSQL server, or back; the box must be stopped",
  flags: [
    {
      name: "to",
      takes: "ADDRESS | file",
      about: "postgres://name:password@host/database, or the data directory",
    },
  ],
  async run(flags) {
    const { to } = flags
    if (to === undefined)
      throw new TerminalError("validation", "Say where the rows go: --to postgres://… or --to file.")
    const dataDir = dataDirectory(flags)
    using lock = await takeDataDirectory(dataDir)
    if (!lock)
      throw new TerminalError(
        "conflict",
        "The box is running on this data directory. Stop it, then move its rows.",
      )
    const stop = new AbortController()
    listenForStop()
    onStop(() =>
      stop.abort(
        new TerminalError("unavailable", "The move was stopped. Run the same command again to go on."),
      ),
    )
    const { signal } = stop
    if (to === file)
      return toldOf(await moveToFile(sourceOf(flags), { dataDir, signal }), "Start without --database-url.")
    const url = readDatabaseUrl(to, "--to")
    return toldOf(await moveToServer(url, { dataDir, signal }), "Start with --database-url from now on.")
  },
}

function sourceOf(flags: CommandFlags): string {
  const url = databaseUrl(flags)
  if (url !== null) return url
  throw new TerminalError("validation", "Say where the rows are: --database-url postgres://…")
}

function toldOf({ tables, before }: Moved, next: string): string[] {
  return [
    ...tables.map(({ table, rows }) => `${table}\t${rows} rows, compared`),
    before === null
      ? "The rows on the server stay there. Delete that database once all is well."
      : `What was here before is in ${before}. Delete it once all is well.`,
    next,
  ]
}
