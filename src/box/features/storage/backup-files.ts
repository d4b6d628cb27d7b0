import { existsSync } from "node:fs"
import { open, readdir, rm, rmdir, stat, type FileHandle } from "node:fs/promises"
import { basename, join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Backup } from "../../../shared/contract/storage.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { backupsPath } from "../../core/data-layout.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { timestamp } from "../../core/ids.ts"

const fileName = /^casella-backup-[\d-]+\.tgz$/
const nameAt = (startedAt: string) => `casella-backup-${startedAt.slice(0, -1).replaceAll(/[T:.]/g, "-")}.tgz`

/** A backup that starts now. */
export function newBackup(): Backup {
  const startedAt = timestamp()
  return {
    status: "running",
    fileName: nameAt(startedAt),
    startedAt,
    doneBytes: 0,
    totalBytes: 0,
    sizeBytes: null,
    error: null,
  }
}

/** The directory that contains backups. Other files in it belong to someone else. */
export function createBackupFiles(dataDir: string) {
  const directory = backupsPath(dataDir)
  /** Oldest first. */
  const names = async () => (await readdir(directory)).filter((name) => fileName.test(name)).toSorted()

  return {
    getPath: (name: string): string => join(directory, name),

    /** The backup that was completed last, even by an earlier run. */
    async latest(): Promise<Backup | null> {
      const name = (await names().catch(() => [])).at(-1)
      if (name === undefined) return null
      const { size, mtimeMs } = await stat(join(directory, name))
      return {
        status: "completed",
        fileName: name,
        startedAt: timestamp(mtimeMs),
        doneBytes: 0,
        totalBytes: 0,
        sizeBytes: size,
        error: null,
      }
    },

    async makeDirectory(): Promise<void> {
      await makeDirectoryInside(dataDir, [basename(directory)])
    },

    /** Throws `not_found` if it no longer exists. */
    open: (name: string): Promise<FileHandle> =>
      open(join(directory, name)).catch((cause: unknown) => {
        throw new AppError("not_found", sentence("storage.backup_gone"), { cause })
      }),

    async removeAllBut(kept: string): Promise<void> {
      for (const name of await names()) if (name !== kept) await rm(join(directory, name), { force: true })
    },

    async removeAll(): Promise<void> {
      if (!existsSync(directory)) return
      for (const name of await names()) await rm(join(directory, name), { force: true })
      await rmdir(directory).catch(() => undefined)
    },
  }
}
