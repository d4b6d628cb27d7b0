import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  avatarsPath,
  backedUpDirectories,
  backupsPath,
  databaseFile,
  snapshotsPath,
  temporaryPath,
  trashPath,
  uploadsPath,
} from "../data-layout.ts"
import { isHeld } from "../data-directory/instance-lock.ts"
import { isDiskFull } from "../disk/is-disk-full.ts"
import { partialPrefix } from "./durable-file.ts"

/** In a directory in `uploads/`: where something on another disk belongs to it, which a start removes, too. */
export const partialNote = "elsewhere.json"

/** Entries of the trash that a start looks into, so that a large one doesn't hold it up. */
const mostLookedAt = 1_000

/**
 * Lets this process, the libraries in it and its children keep their temporary files in the data directory, because
 * they hold parts of documents, and stay when a process is killed. Windows has a directory for each user anyway.
 */
export function keepTemporaryFiles(dataDir: string): void {
  ownPlace = temporaryPath(dataDir)
  process.env["TMPDIR"] = ownPlace
}
let ownPlace: string | undefined

/**
 * Runs work of a library that leaves temporary directories behind, and removes the new ones that hold a file of this name. Nothing is
 * removed if other programs use the same temporary directory.
 */
export async function withoutLeftovers<T>(fileName: string, work: () => Promise<T>): Promise<T> {
  const place = tmpdir()
  const before = new Set(namesIn(place))
  try {
    return await work()
  } finally {
    const made = place === ownPlace ? namesIn(place).filter((name) => !before.has(name)) : []
    for (const path of made.map((name) => join(place, name)))
      if (namesIn(path).includes(fileName)) removeTemporaryDirectory(path)
  }
}

/**
 * Makes a directory for temporary files, also where all of `tmp/` was cleared away since the start; answers its path.
 * Throws `AppError` `unavailable`, or `disk_full`, where that can't be done.
 */
export function makeTemporaryDirectory(prefix: string): string {
  const place = tmpdir()
  try {
    mkdirSync(place, { mode: 0o700 })
  } catch {
    // it is there, or can't be made, which the next step tells
  }
  try {
    return realpathSync(mkdtempSync(join(place, prefix)))
  } catch (cause) {
    if (isDiskFull(cause)) throw new AppError("disk_full", sentence("core.disk_full"), { cause })
    throw new AppError("unavailable", sentence("core.temporary_files_closed"), { cause })
  }
}

/**
 * Removes a temporary directory, also while something is still being put into it: whatever can't be removed now is no reason
 * to fail, and goes with the next start.
 */
export function removeTemporaryDirectory(path: string): void {
  try {
    remove(path)
  } catch {
    // it goes with the next start
  }
}

/** To be called just before a library makes temporary files that it can't do without. Throws as the above does. */
export function requireTemporaryFiles(): void {
  rmdirSync(makeTemporaryDirectory("try-"))
}

/**
 * Removes what a killed box or command left: all that is under way lies in `tmp/` and `uploads/`, but for files that replace
 * another one beside it, and copies into the trash. What a `backup` command works in beside the box stays. Only for whoever
 * holds the data directory's lock.
 */
export function emptyTemporaryFiles(dataDir: string): void {
  remove(temporaryPath(dataDir))
  const uploads = uploadsPath(dataDir)
  const staged = namesIn(uploads).map((name) => join(uploads, name))
  const idle = staged.filter((path) => !isHeld(path) && !keepsNote(path))
  for (const path of idle.length === staged.length ? [uploads] : idle) remove(path)
  mkdirSync(temporaryPath(dataDir), { mode: 0o700 })
  for (const directory of [dataDir, avatarsPath(dataDir), backupsPath(dataDir), snapshotsPath(dataDir)])
    for (const name of namesIn(directory))
      if (isUnderWay(name) || isOldStaging(join(directory, name))) remove(join(directory, name))
  for (const directory of newestOfTrash(trashPath(dataDir)))
    for (const name of namesIn(directory)) if (name.startsWith(partialPrefix)) remove(join(directory, name))
}

/** Whether there is a note in it, which is all that stays then: other disks may be slow to answer, so it waits. */
function keepsNote(directory: string): boolean {
  const names = namesIn(directory)
  if (!names.includes(partialNote)) return false
  for (const name of names) if (name !== partialNote) remove(join(directory, name))
  return true
}

/** What was being copied into the trash is among what came last; its days and ids sort by time. */
function newestOfTrash(trash: string): string[] {
  const newest: string[] = []
  for (const day of namesIn(trash).toSorted().toReversed()) {
    const ids = namesIn(join(trash, day)).toSorted().toReversed()
    newest.push(...ids.slice(0, mostLookedAt - newest.length).map((id) => join(trash, day, id)))
    if (newest.length >= mostLookedAt) break
  }
  return newest
}

/** Half-written secrets among them: what was in them may have been removed since. The second are those of earlier versions. */
const isUnderWay = (name: string): boolean => name.startsWith(partialPrefix) || oldPartial.test(name)
const oldPartial = /^(casella-backup-[\d-]+\.tgz|schema-\d+\.sqlite|[a-z]+\.json)\.partial$/

/** Where earlier versions gathered what went into a backup. */
function isOldStaging(path: string): boolean {
  if (!/^backup-\w{6}$/.test(basename(path)) || !lstatSync(path).isDirectory()) return false
  return namesIn(path).every((name) => name.startsWith(databaseFile) || backedUpDirectories.includes(name))
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 })

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return []
    throw error
  }
}
