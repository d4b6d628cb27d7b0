import { existsSync, statSync } from "node:fs"
import { mkdir, rename, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { removeRunFile } from "../../core/data-directory/instance-lock.ts"
import { preserveLocalOnly } from "../../core/data-directory/keep-local-only.ts"
import { noteMissingChanges } from "../../core/data-directory/known-database.ts"
import {
  backedUpDirectories,
  databaseFile,
  indexPath,
  overwrittenNote,
  rescuedPath,
} from "../../core/data-layout.ts"
import { syncDirectory } from "../../core/files/durable-file.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { getReplacedName, readStagedRestore, readyPath, replacedPrefix } from "./staged-restore.ts"

/** The staged backup after the present data was moved aside. From then on, only the backup's parts are moved. */
const movingPath = (dataDir: string) => join(dataDir, "restore-moving")
const sqliteFiles = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`]
/** The parts of the data directory that a restore replaces. */
const replacedParts = [...sqliteFiles, ...backedUpDirectories]

/** Puts back the database that `rescueDatabase` saved. An interrupted attempt is completed by the next one. */
async function putBackRescued(dataDir: string, logger: Pick<Logger, "warn">): Promise<void> {
  const rescued = rescuedPath(dataDir)
  const found = statSync(join(rescued, databaseFile), { throwIfNoEntry: false })
  const isOverwritten = existsSync(join(rescued, overwrittenNote))
  if (isOverwritten) await noteMissingChanges(dataDir)
  if (!found && isOverwritten) return await rename(rescued, join(dataDir, `${replacedPrefix}${Date.now()}`))
  if (!found) return await rm(rescued, { recursive: true, force: true })
  const name = `${replacedPrefix}${Math.round(found.mtimeMs)}`
  const kept = await setAside(dataDir, name, sqliteFiles, () =>
    rename(join(rescued, databaseFile), join(dataDir, databaseFile)),
  )
  await syncDirectory(dataDir)
  await rm(rescued, { recursive: true })
  logger.warn(
    { kept },
    isOverwritten
      ? "The readable part of the database that was overwritten in the last run is restored"
      : "The database that was removed during the last run is restored, with everything that was stored",
  )
}

/**
 * Replaces the data with a staged backup, keeps the data in another directory and returns that directory's name. Call it while the data
 * directory is locked and its database closed. An interrupted attempt is completed: first all present data is moved aside, and only then
 * are the backup's parts moved in, each with one rename. If the present data can't be moved aside, it throws and nothing changes.
 */
export async function applyStagedRestore(
  dataDir: string,
  logger: Pick<Logger, "warn">,
): Promise<string | null> {
  await putBackRescued(dataDir, logger)
  let previous: string | null = null
  await moveIn(dataDir) // finishes an attempt from before the staged one
  const restore = await readStagedRestore(dataDir)
  if (restore) {
    const present = [getReplacedName(restore), "."].map((name) => join(dataDir, name, databaseFile))
    preserveLocalOnly(present.find(existsSync) ?? "", join(readyPath(dataDir), databaseFile))
    previous = await setAside(dataDir, getReplacedName(restore), replacedParts, async () => {
      await rm(indexPath(dataDir), { recursive: true, force: true }) // rebuilt from the restored database
      await rename(readyPath(dataDir), movingPath(dataDir))
    })
    await syncDirectory(dataDir)
  } else if (existsSync(readyPath(dataDir)))
    logger.warn(
      { path: readyPath(dataDir) },
      "The backup that waits to be restored is damaged, or another version of Casella checked it. It isn't used: restore it again",
    )
  await moveIn(dataDir)
  return previous
}

/**
 * Completes an attempt that was interrupted after it had started to move data, so that the data it replaced stays together when another
 * backup is restored. Call it under the same conditions as `applyStagedRestore`.
 */
export async function completeRestore(dataDir: string, logger: Pick<Logger, "warn">): Promise<void> {
  const waiting = await readStagedRestore(dataDir)
  const hasSetAside = waiting !== null && existsSync(join(dataDir, getReplacedName(waiting)))
  if (hasSetAside || existsSync(movingPath(dataDir))) await applyStagedRestore(dataDir, logger)
}

async function moveIn(dataDir: string): Promise<void> {
  const moving = movingPath(dataDir)
  if (!existsSync(moving)) return
  for (const name of [databaseFile, ...backedUpDirectories]) {
    const source = join(moving, name)
    if (!existsSync(source)) continue
    // A command may have created an empty database in the meantime; its journal would damage the restored one.
    if (name === databaseFile) for (const file of sqliteFiles) await rm(join(dataDir, file), { force: true })
    await rename(source, join(dataDir, name))
  }
  await syncDirectory(dataDir)
  removeRunFile(dataDir) // it belongs to the replaced data: the next start must not look for changes that a killed run lost
  await rm(moving, { recursive: true, force: true })
}

/** The name depends on the backup, so that a second attempt continues in the directory of the first one. */
async function setAside(
  dataDir: string,
  name: string,
  replaced: readonly string[],
  bringIn: () => Promise<void>,
): Promise<string | null> {
  const target = join(dataDir, name)
  if (replaced.some((part) => existsSync(join(dataDir, part)))) await mkdir(target, { recursive: true })
  try {
    for (const part of replaced) {
      if (existsSync(join(dataDir, part)) && !existsSync(join(target, part)))
        await rename(join(dataDir, part), join(target, part))
    }
    await bringIn()
  } catch (error) {
    for (const part of replaced)
      if (existsSync(join(target, part)) && !existsSync(join(dataDir, part)))
        await rename(join(target, part), join(dataDir, part))
    await rmdir(target).catch(() => undefined)
    throw error
  }
  return existsSync(target) ? name : null
}
