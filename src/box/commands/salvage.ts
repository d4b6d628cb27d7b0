import { databaseAdoption } from "../compose/adopt-database.ts"
import { resolve } from "node:path"
import { dataDirectory } from "../box-config.ts"
import { requireRowsLocation } from "../core/data-directory/database-location.ts"
import { takeDataDirectory } from "../core/data-directory/instance-lock.ts"
import { salvage, type Salvage } from "../features/storage/salvage.ts"
import type { Command } from "./command.ts"
import { TerminalError } from "../core/terminal-error.ts"

export const salvageCommand: Command = {
  words: ["salvage"],
  takes: ["DIRECTORY"],
  summary: "write what can be read of a damaged data directory into a new one; the box must be stopped",
  flags: [],
  async run(flags, [directory = ""]) {
    const dataDir = dataDirectory(flags)
    requireRowsLocation(dataDir, null)
    using lock = await takeDataDirectory(dataDir)
    if (!lock)
      throw new TerminalError("conflict", "The box is running on this data directory. Stop it, then salvage.")
    const target = resolve(directory)
    return [
      ...report(await salvage(dataDir, target, databaseAdoption)),
      "Network access and planned backups are off in it: switch them on in its settings if you had them.",
      `Start on it with --data ${target}`,
    ]
  },
}

function report({ tables, dangling, files, lostFiles }: Salvage): string[] {
  return [
    ...tables.map(({ table, rows, lost, problem }) =>
      [
        table,
        `${rows} rows`,
        ...(lost === 0 ? [] : [`${lost ?? "an unknown number"} lost: ${problem}`]),
      ].join("\t"),
    ),
    ...dangling.map(({ table, rows }) => `${table}\t${rows} rows belong to rows that are lost`),
    `files\t${files} kept${lostFiles.length === 0 ? "" : `\t${lostFiles.length} lost:`}`,
    ...lostFiles.map((name) => `\t${name}`),
  ]
}
