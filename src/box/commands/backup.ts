import { existsSync } from "node:fs"
import { mkdir, realpath } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { dataDirectory, type BoxFlags } from "../box-config.ts"
import { databaseAdoption } from "../compose/adopt-database.ts"
import { spawnNodeChild } from "../core/children/child.ts"
import { requireRowsLocation } from "../core/data-directory/database-location.ts"
import { takeDataDirectory } from "../core/data-directory/instance-lock.ts"
import { isInDataDirectory, noteDatabase } from "../core/data-directory/marker.ts"
import { uploadsPath } from "../core/data-layout.ts"
import { createDatabaseChecker } from "../core/database/sqlite/integrity/check-database.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { listenForStop, onStop } from "../core/process/stop-signals.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { applyStagedRestore, completeRestore } from "../features/storage/apply-restore.ts"
import { salvage, type Salvage } from "../features/storage/salvage.ts"
import {
  getReplacedName,
  discardRestore,
  removeStaged,
  stageRestore,
} from "../features/storage/staged-restore.ts"
import { nameTaken, writeBackup } from "../features/storage/write-backup.ts"
import { withDatabase, type Command } from "./command.ts"

/**
 * The file must not exist, so that a mistyped name never overwrites another backup. If stopped, it leaves no file, wherever the target is.
 */
async function backUp(flags: BoxFlags, target: string): Promise<void> {
  if (existsSync(target)) throw nameTaken(target)
  const dataDir = dataDirectory(flags)
  await using checker = createDatabaseChecker(spawnNodeChild)
  const stop = new AbortController()
  listenForStop()
  onStop(() => stop.abort(new TerminalError("unavailable", "The backup was stopped.")))
  await withDatabase(flags, async (database) => {
    await requireOutside(target)
    await writeBackup({
      dataDir,
      stagingRoot: uploadsPath(dataDir),
      copyDatabase: database.copyTo,
      checker,
      adoption: databaseAdoption,
      target,
      signal: stop.signal,
    })
  })
}

/** A box deletes unneeded files in its directory, such as all but the last backup. Losing the directory would also lose the backup. */
async function requireOutside(target: string): Promise<void> {
  const directory = await realpath(dirname(target))
  if (isInDataDirectory(directory))
    throw new TerminalError(
      "conflict",
      `${target} is in a data directory of Casella. Choose a file outside it, because losing the directory would lose the backup too.`,
    )
}

/** Replaces the contents of the data directory with a backup, and keeps the old contents next to it. The box must not be running. */
async function restore(dataDir: string, file: string): Promise<string | null> {
  if (!existsSync(file)) throw new TerminalError("not_found", `There is no file ${file}.`)
  requireRowsLocation(dataDir, null)
  using lock = await takeDataDirectory(dataDir, { restoring: true })
  if (!lock)
    throw new TerminalError(
      "conflict",
      "The server is running on this data directory. Stop it, then restore.",
    )
  await using checker = createDatabaseChecker(spawnNodeChild)
  const staging = uploadsPath(dataDir)
  await mkdir(staging, { recursive: true })
  try {
    await completeRestore(dataDir, silentLogger)
    const staged = await stageRestore({
      file,
      dataDir,
      stagingRoot: staging,
      checker,
      adoption: databaseAdoption,
    })
    const previous = await applyStagedRestore(dataDir, silentLogger).catch(async (error: unknown) => {
      // The next start must not apply a refused restore, unless it has to finish what couldn't be undone.
      if (!existsSync(join(dataDir, getReplacedName(staged)))) await discardRestore(dataDir)
      throw error
    })
    noteDatabase(dataDir)
    return previous
  } finally {
    await removeStaged(staging)
  }
}

export const backupCommands: readonly Command[] = [
  {
    words: ["backup"],
    takes: ["FILE"],
    summary: "Back up everything to one file; the server may be running",
    flags: [],
    async run(flags, [file = ""]) {
      await backUp(flags, resolve(file))
      return [`Wrote ${resolve(file)}`]
    },
  },
  {
    words: ["restore"],
    takes: ["FILE"],
    summary: "Restore a backup; the server must be stopped",
    flags: [],
    async run(flags, [file = ""]) {
      const dataDir = dataDirectory(flags)
      const previous = await restore(dataDir, resolve(file))
      return [
        `Restored ${resolve(file)}`,
        ...(previous === null ? [] : [`The previous data is in ${join(dataDir, previous)}`]),
      ]
    },
  },
]

export const salvageCommand: Command = {
  words: ["salvage"],
  takes: ["DIRECTORY"],
  summary: "Recover readable data of a damaged data directory; the server must be stopped",
  flags: [],
  async run(flags, [directory = ""]) {
    const dataDir = dataDirectory(flags)
    requireRowsLocation(dataDir, null)
    using lock = await takeDataDirectory(dataDir)
    if (!lock)
      throw new TerminalError(
        "conflict",
        "The server is running on this data directory. Stop it, then salvage.",
      )
    const target = resolve(directory)
    return [
      ...report(await salvage(dataDir, target, databaseAdoption)),
      "Network access and scheduled backups are off there. If you used them, turn them on in the settings.",
      `To use it, start with --data ${target}`,
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
    ...dangling.map(({ table, rows }) => `${table}\t${rows} rows refer to lost rows`),
    `files\t${files} kept${lostFiles.length === 0 ? "" : `\t${lostFiles.length} lost:`}`,
    ...lostFiles.map((name) => `\t${name}`),
  ]
}
