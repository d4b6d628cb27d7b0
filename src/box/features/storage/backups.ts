import { stat, type FileHandle } from "node:fs/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Backup } from "../../../shared/contract/storage.ts"
import { uploadsPath } from "../../core/data-layout.ts"
import { isDiskFull, refusedAccess } from "../../core/disk/disk-space.ts"
import { DatabaseUnusable } from "../../core/database/database.ts"
import type { DatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"
import { createBackupFiles, newBackup } from "./backup-files.ts"

export interface BackupsDeps {
  dataDir: string
  copyDatabase: (path: string, signal?: AbortSignal) => Promise<void>
  checker: DatabaseChecker
  adoption: Pick<DatabaseAdoption, "absentFiles">
  logger: Logger
  /** Aborted when the server starts to stop. Its processes may end before its backup does. */
  stopping: AbortSignal
}

/** The one backup that the server keeps for its owner to download. */
export interface Backups extends AsyncDisposable {
  current(): Promise<Backup | null>
  /** Starts a backup, which replaces the previous one when it is complete. Throws `conflict` while one is running. */
  start(): Promise<Backup>
  /** Stops the running backup and deletes the existing one. */
  remove(): Promise<void>
  /** Throws `not_found` unless a backup is complete. */
  open(): Promise<{ handle: FileHandle; name: string }>
}

export function createBackups({
  dataDir,
  copyDatabase,
  checker,
  adoption,
  logger,
  stopping,
}: BackupsDeps): Backups {
  const files = createBackupFiles(dataDir)
  let latest: Backup | null = null
  let running: { stop: AbortController; ended: Promise<void> } | null = null

  const current = async () => latest ?? (await files.latest())

  async function run(backup: Backup, signal: AbortSignal): Promise<void> {
    const target = files.getPath(backup.fileName)
    try {
      await files.makeDirectory()
      const { writeBackup } = await import("./write-backup.ts")
      await writeBackup({
        dataDir,
        stagingRoot: uploadsPath(dataDir),
        copyDatabase,
        checker,
        adoption,
        target,
        signal,
        onProgress: (doneBytes, totalBytes) => Object.assign(backup, { doneBytes, totalBytes }),
      })
      await files.removeAllBut(backup.fileName)
      Object.assign(backup, { status: "completed", sizeBytes: (await stat(target)).size })
    } catch (error) {
      if (signal.aborted || stopping.aborted) return
      logger.error({ err: error }, "A backup failed")
      const { text, field } = getReason(error)
      Object.assign(backup, { status: "failed", error: text, ...field })
    }
  }

  async function remove(): Promise<void> {
    running?.stop.abort()
    await running?.ended
    latest = null
    await files.removeAll()
  }

  return {
    current,
    remove,

    async start() {
      if (running) throw new AppError("conflict", sentence("storage.backup_runs"))
      const stop = new AbortController()
      const backup = newBackup()
      const ended = run(backup, stop.signal).finally(() => {
        running = null
      })
      running = { stop, ended }
      latest = backup
      return backup
    },

    async open() {
      // The previous backup stays available while the next one is made, and if that fails.
      const backup = latest?.status === "completed" ? latest : await files.latest()
      if (!backup) throw new AppError("not_found", sentence("storage.no_backup"))
      return { handle: await files.open(backup.fileName), name: backup.fileName }
    },

    async [Symbol.asyncDispose]() {
      running?.stop.abort()
      await running?.ended
    },
  }
}

/** The reason for a failed backup, for people. */
export function getReason(error: unknown): Sentence {
  if (error instanceof DatabaseUnusable) return sentence("storage.data_damaged")
  if (error instanceof AppError && ["unavailable", "validation"].includes(error.code)) return error.sentence
  const refused = refusedAccess(error)
  if (refused !== null) return refused.sentence
  return sentence(isDiskFull(error) ? "http.disk_full" : "storage.not_written")
}
