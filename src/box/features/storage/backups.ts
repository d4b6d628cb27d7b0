import { existsSync } from "node:fs"
import { open, readdir, rm, rmdir, stat, type FileHandle } from "node:fs/promises"
import { basename, join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Backup } from "../../../shared/contract/storage.ts"
import { backupsPath, uploadsPath } from "../../core/data-layout.ts"
import { timestamp } from "../../core/ids.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import { refusedAccess } from "../../core/disk/refused-access.ts"
import { DatabaseUnusable } from "../../core/database/database.ts"
import type { DatabaseChecker } from "../../core/database/integrity/check-database.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { DatabaseAdoption } from "./unpack-backup.ts"
import { writeBackup } from "./write-backup.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"

export interface BackupsDeps {
  dataDir: string
  copyDatabase: (path: string, signal?: AbortSignal) => Promise<void>
  checker: DatabaseChecker
  adoption: Pick<DatabaseAdoption, "absentFiles">
  logger: Logger
}

/** The one backup that the box keeps for its owner to download. */
export interface Backups extends AsyncDisposable {
  current(): Promise<Backup | null>
  /** Begins a backup, which takes the place of the one before once it is complete. Throws `conflict` while one runs. */
  start(): Promise<Backup>
  /** Stops the one that runs, deletes the one that is there. */
  remove(): Promise<void>
  /** Throws `not_found` unless one is complete. */
  open(): Promise<{ handle: FileHandle; name: string }>
}

const fileName = /^casella-backup-[\d-]+\.tgz$/

export function createBackups({ dataDir, copyDatabase, checker, adoption, logger }: BackupsDeps): Backups {
  const directory = backupsPath(dataDir)
  let latest: Backup | null = null
  let running: { stop: AbortController; ended: Promise<void> } | null = null

  /** The one that an earlier run of the box completed. */
  async function stored(): Promise<Backup | null> {
    const names = await readdir(directory).catch(() => [])
    const name = names
      .filter((found) => fileName.test(found))
      .toSorted()
      .at(-1)
    if (name === undefined) return null
    const { size, mtimeMs } = await stat(join(directory, name))
    const startedAt = timestamp(mtimeMs)
    return {
      status: "completed",
      fileName: name,
      startedAt,
      doneBytes: 0,
      totalBytes: 0,
      sizeBytes: size,
      error: null,
    }
  }

  const current = async () => latest ?? (await stored())

  async function run(backup: Backup, signal: AbortSignal): Promise<void> {
    const target = join(directory, backup.fileName)
    try {
      await makeDirectoryInside(dataDir, [basename(directory)])
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
      await removeBackups(backup.fileName)
      Object.assign(backup, { status: "completed", sizeBytes: (await stat(target)).size })
    } catch (error) {
      if (signal.aborted) return
      logger.error({ err: error }, "A backup failed")
      const { text, field } = reasonOf(error)
      Object.assign(backup, { status: "failed", error: text, ...field })
    }
  }

  /** What else lies there is somebody's own. */
  async function removeBackups(kept?: string): Promise<void> {
    const names = (await readdir(directory)).filter((name) => fileName.test(name) && name !== kept)
    for (const name of names) await rm(join(directory, name), { force: true })
    if (kept === undefined) await rmdir(directory).catch(() => undefined)
  }

  async function remove(): Promise<void> {
    running?.stop.abort()
    await running?.ended
    latest = null
    if (existsSync(directory)) await removeBackups()
  }

  return {
    current,
    remove,

    async start() {
      if (running) throw new AppError("conflict", sentence("storage.backup_runs"))
      const stop = new AbortController()
      const startedAt = timestamp()
      const name = `casella-backup-${startedAt.slice(0, -1).replaceAll(/[T:.]/g, "-")}.tgz`
      const backup: Backup = {
        status: "running",
        fileName: name,
        startedAt,
        doneBytes: 0,
        totalBytes: 0,
        sizeBytes: null,
        error: null,
      }
      const ended = run(backup, stop.signal).finally(() => {
        running = null
      })
      running = { stop, ended }
      latest = backup
      return backup
    },

    async open() {
      // While the next one is made, and when that fails, the one before it is there.
      const backup = latest?.status === "completed" ? latest : await stored()
      if (!backup) throw new AppError("not_found", sentence("storage.no_backup"))
      const handle = await open(join(directory, backup.fileName)).catch((cause: unknown) => {
        throw new AppError("not_found", sentence("storage.backup_gone"), { cause })
      })
      return { handle, name: backup.fileName }
    },

    async [Symbol.asyncDispose]() {
      running?.stop.abort()
      await running?.ended
    },
  }
}

function reasonOf(error: unknown): Sentence {
  if (error instanceof DatabaseUnusable) return sentence("storage.data_damaged")
  if (error instanceof AppError && error.code === "unavailable") return error.sentence
  const refused = refusedAccess(error)
  if (refused !== null) return refused.sentence
  return sentence(isDiskFull(error) ? "http.disk_full" : "storage.not_written")
}
