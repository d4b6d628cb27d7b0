import { existsSync } from "node:fs"
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { databaseFile, overwrittenNote, rescuedPath, temporaryPath } from "../../core/data-layout.ts"
import type { DatabaseLoss } from "../../core/data-directory/database-files.ts"
import type { DataDirectory } from "../../core/data-directory/watch-data-directory.ts"
import type { SqliteDatabaseFile } from "../../core/database/sqlite/open-sqlite.ts"
import { syncDirectory, syncToDisk } from "../../core/files/durable-file.ts"
import { newId } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"

const retryDelayMs = 3_000

/**
 * If a file of the open database is removed or replaced, stops all changes and copies the database's content next to it. The next start
 * puts the copy back (`applyStagedRestore`). A failure, as on a full disk, is retried every few seconds, and again on disposal, for which
 * the database must still be open. Disposal throws if that fails too.
 */
export function rescueDatabase({
  dataDir,
  database,
  dataDirectory,
  logger,
  markDirectory,
}: {
  dataDir: string
  database: Pick<SqliteDatabaseFile, "freeze" | "copyTo" | "isShared">
  dataDirectory: Pick<DataDirectory, "isInPlace" | "watchDatabase">
  logger: Logger
  /** Writes the files again that mark the directory as this server's and in use, because they may have been removed with the database. */
  markDirectory(): void
}): AsyncDisposable {
  let loss: DatabaseLoss | undefined
  let ending = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const rescued = rescuedPath(dataDir)

  const rescue = () => save((staging) => database.copyTo(join(staging, databaseFile)))

  /** Saves the last writes before closing the database moves them to where another program wrote. */
  const saveLog = () =>
    save(async (staging) => {
      const log = join(staging, `${databaseFile}-wal`)
      await copyFile(join(dataDir, `${databaseFile}-wal`), log)
      await syncToDisk(log)
    })

  async function save(into: (staging: string) => Promise<void>): Promise<void> {
    await database.freeze()
    if (!dataDirectory.isInPlace()) throw new Error("The data directory isn't in its location.")
    const staging = join(temporaryPath(dataDir), newId())
    try {
      await mkdir(staging, { recursive: true, mode: 0o700 })
      await into(staging)
      if (loss === "overwritten") await writeFile(join(staging, overwrittenNote), "")
      await syncDirectory(staging)
      markDirectory()
      await rename(staging, rescued)
      await syncDirectory(dataDir)
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }

  function reportResult(): void {
    if (loss === "overwritten")
      logger.warn(
        { path: rescued },
        "The readable part of the overwritten database is saved; the next start restores it. Check then whether anything is missing",
      )
    else logger.warn({ path: rescued }, "Everything that was stored is saved; the next start restores it")
  }

  const attempt = () => {
    running = rescue().then(reportResult, (error: unknown) => {
      logger.error(
        { err: error },
        "The contents of the lost database couldn't be saved yet. Don't stop Casella; free space on its disk",
      )
      if (!ending) timer = setTimeout(attempt, retryDelayMs)
    })
  }

  const watched = dataDirectory.watchDatabase(join(dataDir, databaseFile), database.isShared, (how) => {
    loss = how
    attempt()
  })
  return {
    async [Symbol.asyncDispose]() {
      ending = true
      clearTimeout(timer)
      await running
      watched[Symbol.dispose]()
      if (loss && !existsSync(rescued)) await rescueAtLast()
      if (loss === "overwritten")
        throw new Error("another program wrote over a file of the database. The log says more.")
    },
  }

  async function rescueAtLast(): Promise<void> {
    try {
      await rescue()
    } catch (error) {
      logger.error(
        { err: error },
        "Casella stops and couldn't save the contents of the lost database. Restore a backup",
      )
      if (loss !== "overwritten") throw error
      await saveLog()
    }
  }
}
