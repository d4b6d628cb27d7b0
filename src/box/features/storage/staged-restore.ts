import { existsSync, statSync } from "node:fs"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StagedRestore } from "../../../shared/contract/storage.ts"
import { backedUpDirectories, databaseFile, indexPath } from "../../core/data-layout.ts"
import { syncDirectory, syncToDisk } from "../../core/durable-file.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { DatabaseChecker } from "../../core/integrity/check-database.ts"
import type { Logger } from "../../core/logger.ts"
import { readStored } from "../../core/stored-json.ts"
import { unpackBackup } from "./unpack-backup.ts"

/** A checked backup that waits for the next start. */
const readyPath = (dataDir: string) => join(dataDir, "restore-ready")
/** The same once the present data was set aside; from then on only its own parts move. */
const movingPath = (dataDir: string) => join(dataDir, "restore-moving")
const summaryFile = "restore.json"

/** Begins the names of directories that hold what a restore took the place of. */
export const replacedPrefix = "before-restore-"

const sqliteFiles = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`]

export interface RestoreJob {
  file: string
  dataDir: string
  /** Emptied at every start; on the data directory's file system. */
  stagingRoot: string
  checker: DatabaseChecker
}

/**
 * Unpacks and checks a backup, and leaves it ready for the next start; an earlier one that waits is dropped.
 * @throws AppError `unprocessable`, `disk_full`
 */
export async function stageRestore({
  file,
  dataDir,
  stagingRoot,
  checker,
}: RestoreJob): Promise<StagedRestore> {
  const staging = join(stagingRoot, `restore-${newId()}`)
  await mkdir(staging, { recursive: true })
  try {
    const counts = await unpackBackup(file, staging, checker)
    const restore = { stagedAt: timestamp(), ...counts }
    const summary = join(staging, summaryFile)
    await writeFile(summary, JSON.stringify(restore))
    await syncToDisk(summary)
    await discardRestore(dataDir)
    await rename(staging, readyPath(dataDir))
    await syncDirectory(dataDir)
    return restore
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The backup that waits for the next start; null also for one that was damaged meanwhile, which isn't used. */
export async function readStagedRestore(dataDir: string): Promise<StagedRestore | null> {
  const ready = readyPath(dataDir)
  const text = await readFile(join(ready, summaryFile), "utf8").catch(() => null)
  const restore = text === null ? undefined : readStored(StagedRestore, text)
  const database = statSync(join(ready, databaseFile), { throwIfNoEntry: false })
  return restore !== undefined && database?.isFile() === true && database.size > 0 ? restore : null
}

export async function discardRestore(dataDir: string): Promise<void> {
  await rm(readyPath(dataDir), { recursive: true, force: true })
}

/**
 * Puts a staged backup in the place of the data, which is kept beside it, and answers the name of the directory that
 * keeps it. Call it while the data directory is locked and its database closed. A cut-off attempt is completed: first
 * all of the present data moves aside, and only after that the backup's parts move in, each by one rename.
 */
export async function applyStagedRestore(
  dataDir: string,
  logger: Pick<Logger, "warn">,
): Promise<string | null> {
  let previous: string | null = null
  const restore = await readStagedRestore(dataDir)
  if (restore) {
    previous = await setAside(dataDir, Date.parse(restore.stagedAt))
    await rename(readyPath(dataDir), movingPath(dataDir))
    await syncDirectory(dataDir)
  } else if (existsSync(readyPath(dataDir)))
    logger.warn(
      { path: readyPath(dataDir) },
      "The backup that waits to be restored is damaged and isn't used",
    )
  if (existsSync(movingPath(dataDir))) {
    for (const name of [databaseFile, ...backedUpDirectories]) {
      const source = join(movingPath(dataDir), name)
      if (!existsSync(source)) continue
      // A command may have made an empty database meanwhile: its journal would spoil the restored one.
      if (name === databaseFile)
        for (const file of sqliteFiles) await rm(join(dataDir, file), { force: true })
      await rename(source, join(dataDir, name))
    }
    await syncDirectory(dataDir)
    await rm(movingPath(dataDir), { recursive: true, force: true })
  }
  return previous
}

/** The name depends on the backup, so that a second attempt goes on in the directory that the first one made. */
async function setAside(dataDir: string, stagedMs: number): Promise<string | null> {
  const name = `${replacedPrefix}${stagedMs}`
  const target = join(dataDir, name)
  const replaced = [...sqliteFiles, ...backedUpDirectories]
  if (replaced.some((part) => existsSync(join(dataDir, part)))) await mkdir(target, { recursive: true })
  for (const part of replaced) {
    if (existsSync(join(dataDir, part)) && !existsSync(join(target, part)))
      await rename(join(dataDir, part), join(target, part))
  }
  await rm(indexPath(dataDir), { recursive: true, force: true }) // made anew from the restored database
  return existsSync(target) ? name : null
}
