import { existsSync, statSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import packageJson from "../../../../package.json" with { type: "json" }
import { StagedRestore } from "../../../shared/contract/storage.ts"
import { databaseFile, uploadsPath } from "../../core/data-layout.ts"
import { syncDirectory, syncTree } from "../../core/files/durable-file.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { readSmallFile } from "../../core/files/file-contents.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { UnpackJob } from "./unpack-backup.ts"

/** A checked backup that is staged for the next start. */
export const readyPath = (dataDir: string) => join(dataDir, "restore-ready")
const summaryFile = "restore.json"
/** Includes the version of Casella that checked the backup; the first versions stored none. */
const Summary = StagedRestore.extend({ checkedBy: z.string().optional() })

/** Name prefix of directories that contain data replaced by a restore. */
export const replacedPrefix = "before-restore-"

/** Name of the directory for the data that this restore replaces. */
export const getReplacedName = ({ stagedAt }: StagedRestore) => `${replacedPrefix}${Date.parse(stagedAt)}`

export interface RestoreJob extends UnpackJob {
  /** Emptied at every start; on the same file system as the data directory. */
  stagingRoot: string
}

/**
 * Unpacks and checks a backup and stages it for the next start. It replaces a backup that is already staged.
 * @throws AppError `unprocessable`, `disk_full`
 */
export async function stageRestore(job: RestoreJob): Promise<StagedRestore> {
  const { dataDir, stagingRoot } = job
  const staging = join(stagingRoot, `restore-${newId()}`)
  await mkdir(staging, { recursive: true })
  try {
    const { unpackBackup } = await import("./unpack-backup.ts")
    const counts = await unpackBackup(job, staging)
    const restore = { stagedAt: timestamp(), ...counts }
    const summary = join(staging, summaryFile)
    await writeFile(summary, JSON.stringify({ ...restore, checkedBy: packageJson.version }))
    await syncTree(staging)
    await discardRestore(dataDir)
    await rename(staging, readyPath(dataDir))
    await syncDirectory(dataDir)
    return restore
  } finally {
    await removeStaged(staging)
  }
}

/** If unpacking fails, other files may still be written to the directory. Removal is retried, and the next start removes the rest. */
export const removeStaged = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)

/**
 * The backup that is staged for the next start. Null if it was damaged in the meantime, or if another version checked it, which may not
 * hold the same items. Such a backup isn't used, unless its restore has already started to move data.
 */
export async function readStagedRestore(dataDir: string): Promise<StagedRestore | null> {
  const ready = readyPath(dataDir)
  const text = await readSmallFile(join(ready, summaryFile)).catch(() => null)
  const summary = text === null ? undefined : readStored(Summary, text)
  const database = statSync(join(ready, databaseFile), { throwIfNoEntry: false })
  if (summary === undefined || database?.isFile() !== true || database.size === 0) return null
  const { checkedBy, ...restore } = summary
  const isUsable = checkedBy === packageJson.version || existsSync(join(dataDir, getReplacedName(restore)))
  return isUsable ? restore : null
}

/** Discards it in one step: a start after an interrupted removal would restore what was left. */
export async function discardRestore(dataDir: string): Promise<void> {
  const uploads = uploadsPath(dataDir)
  const discarded = join(uploads, `restore-${newId()}`)
  await mkdir(uploads, { recursive: true })
  try {
    await rename(readyPath(dataDir), discarded)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return // none is staged
    throw error
  }
  await syncDirectory(dataDir)
  await removeStaged(discarded)
}
