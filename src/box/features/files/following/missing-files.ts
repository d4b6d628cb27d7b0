import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import { type IgnoreRules, scan, certainPart, isShownOnly } from "../../../engines/folder-watcher/scan.ts"
import { getPath, type FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import { getDevice, type MountStore } from "./known-directories.ts"

/** Known facts about a folder whose files aren't where they were. */
export interface Circumstances {
  /**
   * `doubtful`: the box's own directory, in which no one should delete files, one that is on a different device, or one that wasn't watched
   * until now. `missed`: files were missing at the previous scan.
   */
  state: "trusted" | "doubtful" | "missed"
  /** Number of files that were treated as deleted recently: a program may remove them one by one. */
  removedLately: number
}

const maxDeletedTogether = 20

/**
 * Returns whether so many absent files, of the folder's total, are more than a person deletes at once: a drive was removed and left a
 * directory in its place, or a program emptied it. When files are already missing, nearly all must return.
 */
export function areTooManyAbsent(
  absent: number,
  total: number,
  { state, removedLately }: Circumstances,
): boolean {
  if (state === "missed") return absent > total / 10
  if (absent + removedLately <= (total + removedLately) / 2) return false
  if (state === "doubtful" || absent + removedLately > maxDeletedTogether) return absent > 0
  return absent === total && total > 1
}

/** Returns how many of these relative paths don't exist. Files in directories that may not be read are treated as existing. */
async function countAbsent(root: string, paths: readonly string[]): Promise<number> {
  let absent = 0
  for (const path of paths) {
    absent += await lstat(join(root, path)).then(
      () => 0,
      ({ code }: NodeJS.ErrnoException) => (code === "EACCES" || code === "EPERM" ? 0 : 1),
    )
  }
  return absent
}

/** Returns those of a folder's files that aren't in their place or are excluded by the rules. */
export async function findGoneFiles(
  candidates: readonly FileRow[],
  {
    store,
    folder,
    rules,
    signal,
  }: {
    store: Pick<FileStore, "findByIds">
    folder: Pick<StoredFolder, "id" | "path">
    rules: IgnoreRules
    signal: AbortSignal
  },
): Promise<FileRow[]> {
  const missing: FileRow[] = []
  for (const row of await stillKnown(candidates, store, folder.id)) {
    const path = getPath(row)
    if (!(await scan(folder.path, certainPart(path), rules, signal)).files.has(path)) missing.push(row)
  }
  return missing
}

/** Leaves out files that someone deleted in the meantime and may restore. */
function stillKnown(
  rows: readonly FileRow[],
  store: Pick<FileStore, "findByIds">,
  folderId: string,
): Promise<FileRow[]> {
  const ids = rows.map((row) => row.id)
  return store.findByIds(ids, folderId)
}

export interface CountMissingOptions extends Circumstances {
  /** Number of files that may be treated as deleted because a user confirmed it. */
  accepted: number
  /** Drives currently mounted below the folder's directory. */
  mounted: ReadonlyMap<string, string>
}

type Folder = Pick<StoredFolder, "id" | "path" | "managed">

/**
 * Returns how many of the vanished files are missing if they are too many to be treated as deleted, otherwise 0. Files that are now
 * excluded by the rules still exist and aren't counted.
 */
export async function countMissing(
  {
    store,
    mounts,
    lock,
  }: {
    store: Pick<FileStore, "findByIds" | "count" | "under">
    mounts: Pick<MountStore, "of">
    lock: KeyedLock
  },
  folder: Folder,
  vanished: readonly FileRow[],
  { accepted, mounted, ...circumstances }: CountMissingOptions,
): Promise<number> {
  if (vanished.length <= accepted) return 0
  const total = await store.count(folder.id)
  const isReplaced = folder.managed && (await areDirectoriesReplaced(vanished, folder))
  const isAway = isReplaced || (await wereOnOtherDrive(vanished, folder, mounted, { store, mounts }))
  const areTooMany = (some: number) => isAway || areTooManyAbsent(some, total, circumstances)
  if (!areTooMany(vanished.length)) return 0
  const absent = await lock.run(folder.id, async () => {
    const rows = await stillKnown(vanished, store, folder.id)
    return isReplaced ? rows.length : countAbsent(folder.path, rows.map(getPath))
  })
  return absent > accepted && areTooMany(absent) ? absent : 0
}

/** Returns whether something else, such as a link, is in the place of one of the box's own directories. */
async function areDirectoriesReplaced(vanished: readonly FileRow[], folder: Folder): Promise<boolean> {
  const directories = new Set(vanished.flatMap((row) => directoriesAbove(row.subFolder)))
  for (const directory of directories) {
    const found = await lstat(join(folder.path, directory)).catch(() => null)
    if (found && !found.isDirectory()) return true
  }
  return false
}

/**
 * Returns whether a drive below the directory is missing or was replaced, and more than half of its known files are gone now. The scan may
 * still have found some of them: the drive may have been removed while it was being scanned.
 */
async function wereOnOtherDrive(
  vanished: readonly FileRow[],
  folder: Folder,
  mounted: CountMissingOptions["mounted"],
  { store, mounts }: { store: Pick<FileStore, "under">; mounts: Pick<MountStore, "of"> },
): Promise<boolean> {
  const known = await mounts.of(folder.id)
  for (const path of new Set([...known.keys(), ...mounted.keys()])) {
    const hasLost = vanished.some((row) => getPath(row).startsWith(`${path}/`))
    const now = await getDevice(join(folder.path, path)).catch(() => null)
    if (!hasLost || now === known.get(path)) continue
    // A name that is only shown isn't the name on the disk.
    const paths = (await store.under(folder.id, path)).map(getPath).filter((each) => !isShownOnly(each))
    if ((await countAbsent(folder.path, paths)) > paths.length / 2) return true
  }
  return false
}

/** Returns `a`, `a/b` and `a/b/c` for `a/b/c`. */
function directoriesAbove(path: string): string[] {
  const names = path.split("/")
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"))
}
