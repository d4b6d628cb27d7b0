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
import { isLocked } from "../data-directory/instance-lock.ts"
import { isDiskFull } from "../disk/disk-space.ts"
import { partialPrefix } from "./durable-file.ts"

/** File in a directory in `uploads/` that lists items on another disk, which a start removes as well. */
export const partialNote = "elsewhere.json"

/** Maximum number of trash entries that a start checks, so that a large trash doesn't delay it. */
const maxExamined = 1_000

/**
 * Makes this process, its libraries and its child processes keep temporary files in the data directory, because they contain parts of
 * documents and remain when a process is killed. Windows has a directory for each user anyway.
 */
export function redirectTemporaryFiles(dataDir: string): void {
  ownTempDirectory = temporaryPath(dataDir)
  process.env["TMPDIR"] = ownTempDirectory
}
let ownTempDirectory: string | undefined

/**
 * Runs work of a library that leaves temporary directories behind, and removes the new ones that contain a file of this name. Removes
 * nothing if other programs use the same temporary directory.
 */
export async function withoutLeftovers<T>(fileName: string, work: () => Promise<T>): Promise<T> {
  const tempDirectory = tmpdir()
  const before = new Set(namesIn(tempDirectory))
  try {
    return await work()
  } finally {
    const made =
      tempDirectory === ownTempDirectory ? namesIn(tempDirectory).filter((name) => !before.has(name)) : []
    for (const path of made.map((name) => join(tempDirectory, name)))
      if (namesIn(path).includes(fileName)) removeTemporaryDirectory(path)
  }
}

/**
 * Creates a directory for temporary files, even if all of `tmp/` was removed since the start; returns its path. Throws `AppError`
 * `unavailable` or `disk_full` if that isn't possible.
 */
export function makeTemporaryDirectory(prefix: string): string {
  const tempDirectory = tmpdir()
  try {
    mkdirSync(tempDirectory, { mode: 0o700 })
  } catch {
    // exists, or can't be created, which the next step reports
  }
  try {
    return realpathSync(mkdtempSync(join(tempDirectory, prefix)))
  } catch (cause) {
    if (isDiskFull(cause)) throw new AppError("disk_full", sentence("core.disk_full"), { cause })
    throw new AppError("unavailable", sentence("core.temporary_files_closed"), { cause })
  }
}

/**
 * Removes a temporary directory, even while files are still being added to it. Anything that can't be removed now isn't an error; the next
 * start removes it.
 */
export function removeTemporaryDirectory(path: string): void {
  try {
    remove(path)
  } catch {
    // the next start removes it
  }
}

/** Call it just before a library creates temporary files that it can't do without. Throws the errors of `makeTemporaryDirectory`. */
export function requireTemporaryFiles(): void {
  rmdirSync(makeTemporaryDirectory("try-"))
}

/**
 * Removes what a killed box or command left. All unfinished files are in `tmp/` and `uploads/`, except for files that replace another one
 * next to it, and copies into the trash. Keeps the working files of a `backup` command that is running. The caller must hold the data
 * directory's lock.
 */
export function emptyTemporaryFiles(dataDir: string): void {
  remove(temporaryPath(dataDir))
  const uploads = uploadsPath(dataDir)
  const staged = namesIn(uploads).map((name) => join(uploads, name))
  const idle = staged.filter((path) => !isLocked(path) && !hasPartialNote(path))
  for (const path of idle.length === staged.length ? [uploads] : idle) remove(path)
  mkdirSync(temporaryPath(dataDir), { mode: 0o700 })
  for (const directory of [dataDir, avatarsPath(dataDir), backupsPath(dataDir), snapshotsPath(dataDir)])
    for (const name of namesIn(directory))
      if (isUnderWay(name) || isOldStaging(join(directory, name))) remove(join(directory, name))
  for (const directory of newestOfTrash(trashPath(dataDir)))
    for (const name of namesIn(directory)) if (name.startsWith(partialPrefix)) remove(join(directory, name))
}

/**
 * Whether the directory contains a note; if so, removes everything else. The note's items stay for now, because other disks may be slow to
 * respond.
 */
function hasPartialNote(directory: string): boolean {
  const names = namesIn(directory)
  if (!names.includes(partialNote)) return false
  for (const name of names) if (name !== partialNote) remove(join(directory, name))
  return true
}

/** An interrupted copy into the trash is among the newest entries; days and IDs sort by time. */
function newestOfTrash(trash: string): string[] {
  const newest: string[] = []
  for (const day of namesIn(trash).toSorted().toReversed()) {
    const ids = namesIn(join(trash, day)).toSorted().toReversed()
    newest.push(...ids.slice(0, maxExamined - newest.length).map((id) => join(trash, day, id)))
    if (newest.length >= maxExamined) break
  }
  return newest
}

/** Includes half-written secrets, whose contents may have been removed since then. The second pattern matches names of earlier versions. */
const isUnderWay = (name: string): boolean => name.startsWith(partialPrefix) || oldPartial.test(name)
const oldPartial = /^(casella-backup-[\d-]+\.tgz|schema-\d+\.sqlite|[a-z]+\.json)\.partial$/

/** Whether earlier versions collected a backup in this directory. */
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
