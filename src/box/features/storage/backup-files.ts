import { existsSync } from "node:fs"
import { open, readdir, rm, rmdir, stat, type FileHandle, lstat, unlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Backup } from "../../../shared/contract/storage.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { isLocked } from "../../core/data-directory/instance-lock.ts"
import { backupsPath, uploadsPath } from "../../core/data-layout.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import { syncDirectory } from "../../core/files/durable-file.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { readSmallFile } from "../../core/files/file-contents.ts"
import { partialNote } from "../../core/files/temporary-files.ts"
import { timestamp, newId } from "../../core/ids.ts"

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

/** The disk may be connected again later. */
const retentionMs = 30 * 24 * 3_600_000

const Note = z.object({
  /** No one else creates a file with such a name. */
  path: z.string().regex(/\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.partial$/),
  /** A copy of the data directory must not touch the original's files. */
  dataDir: z.string(),
})

/**
 * Chooses the path of an incomplete backup on another disk. The path is recorded next to its staging directory, so that a start can remove
 * the file after a kill.
 */
export async function choosePartial(target: string, staging: string, dataDir: string): Promise<string> {
  const note: z.infer<typeof Note> = { path: `${target}.${newId()}.partial`, dataDir }
  await writeFile(join(staging, partialNote), JSON.stringify(note), { flush: true })
  await syncDirectory(staging)
  return note.path
}

/** Removes files that killed backups left on other disks. Files that aren't available are looked for at each start for 30 days. */
export async function removeCutOffBackups(dataDir: string): Promise<void> {
  const uploads = uploadsPath(dataDir)
  const names = await readdir(uploads).catch(() => [])
  for (const staging of names.map((name) => join(uploads, name))) {
    const path = join(staging, partialNote)
    const text = await readSmallFile(path).catch(() => null)
    if (text === null || isLocked(staging)) continue
    const note = readStored(Note, text)
    const isOwn = note?.dataDir === dataDir
    const isMissing = isOwn && (await isRemoved(note.path))
    const isRecent = Date.now() - (await lstat(path)).mtimeMs < retentionMs
    if (isMissing || !isOwn || !isRecent) await rm(staging, { recursive: true, force: true })
  }
}

/** Returns false if the file doesn't exist, or can't be removed now. */
const isRemoved = (path: string): Promise<boolean> =>
  unlink(path).then(
    () => true,
    () => false,
  )
