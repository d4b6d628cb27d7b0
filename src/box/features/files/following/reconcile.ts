import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { loadIgnoreRules, managedRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { describe, scan, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { certainPart } from "../../../engines/folder-watcher/shown-names.ts"
import { breathe } from "../../../core/waiting/breathe.ts"
import { hashFile } from "../../../core/files/hash-file.ts"
import type { KeyedLock } from "../../../core/waiting/keyed-lock.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { compare, withContent, withSameContent, type Change, type Differences } from "./compare.ts"
import { newFileRow, pathOf, scanPriority, type FileRow } from "../file-entry.ts"
import { areMissed, countAbsent, type Circumstances } from "./missing-files.ts"
import type { MountStore } from "./mounts.ts"
import type { FileStore } from "../store.ts"

export interface ReconcileDeps {
  store: FileStore
  mounts: MountStore
  lock: KeyedLock
  /** Called with files that were added, moved or changed. */
  onChanged(fileIds: string[]): void
  /** Called with files whose old passages are gone from the database. */
  onReplaced(fileIds: string[]): void
  onRemoved(folderId: string, fileIds: string[]): void
}

export interface ReconciledFolder {
  id: string
  path: string
  managed: boolean
}

/** How a folder's directory is looked through. */
export interface LookOptions extends Circumstances {
  /** Relative paths at or below which to look; the empty string for everywhere. */
  paths: readonly string[]
  /** Device of the directory, as `deviceOf` tells it: nothing is taken away once it is another. */
  device: string
  /** So many files may be taken for deleted, because somebody said that they were. */
  accepted: number
  /** So many, with those that were lately, may be taken for deleted at once; of more it must be seen whether others follow. */
  mayGo: number
  /** Files, by id, that were gone some time ago: those that still are, are taken for deleted. */
  left: readonly string[]
  /** The id that a file at this path had before it was taken for deleted a short while ago. */
  formerId(path: string): string | undefined
}

/** What came of a look. */
export interface Look {
  /** Paths to look at again, because their files are still being written, or read. */
  again: string[]
  /** Files that were taken for deleted. */
  removed: FileRow[]
  /** Files, by id, that are gone and were left as they are, because more than may go at once are. */
  leaving: string[]
  /** Files that the directory lost, too many to be taken for deleted; if there are any, nothing was done. */
  missing: number
}

/** A file that was modified more recently is perhaps still being written. */
export const stillMs = 600
/** Other changes in the folder wait so long for files to be read that may be others than before. */
const longestReadingMs = 5_000
/** What is written in one transaction, for which an upload into the same folder waits as well. */
const rowsPerStep = 100

/**
 * Makes the database say what a folder's directory holds at or below the given paths, unless too much of it is missing.
 * What it has done when the signal ends it stays done.
 */
export async function reconcile(
  { store, mounts, lock, onChanged, onReplaced, onRemoved }: ReconcileDeps,
  folder: ReconciledFolder,
  { paths, device, accepted, mayGo, left, formerId, ...circumstances }: LookOptions,
  signal: AbortSignal,
): Promise<Look> {
  const rules = folder.managed ? managedRules : await loadIgnoreRules(folder.path)
  const rows = new Map<string, FileRow>()
  const found = new Map<string, FoundFile>()
  const unreadable: string[] = []
  const mounted = new Map<string, string>()
  for (const path of await outermost(paths.map(certainPart))) {
    signal.throwIfAborted()
    // Rows first: a file that is uploaded meanwhile is found without a row, never the other way round.
    for (const row of await store.under(folder.id, path)) rows.set(row.id, row)
    const result = await scan(folder.path, path, rules, signal)
    for (const file of result.files.values()) found.set(file.path, file)
    unreadable.push(...result.unreadable)
    for (const [directory, device] of result.mounts) mounted.set(directory, device)
  }
  await requireDrive()
  const unsettled = new Set<string>()
  if (!folder.managed) for (const file of found.values()) if (isBeingWritten(file)) unsettled.add(file.path)
  for (const path of unsettled) found.delete(path)
  for (const row of await movedFrom(found, rows)) rows.set(row.id, row)
  for (const row of await store.byIds(left, folder.id)) rows.set(row.id, row)
  const known: FileRow[] = []
  for (const row of rows.values()) {
    await breathe()
    const path = pathOf(row)
    if (!unsettled.has(path) && !unreadable.some((directory) => path.startsWith(`${directory}/`)))
      known.push(row)
  }
  const differences = await compare(found.values(), known, folder)
  const { vanished } = differences
  const missing = await countMissing(vanished)
  if (missing > 0) return { again: [], removed: [], leaving: [], missing }
  await (paths.includes("") ? mounts.replace(folder.id, mounted) : mounts.add(folder.id, mounted))
  const mustWait = vanished.length > accepted && vanished.length + circumstances.removedLately > mayGo
  const removed = await apply(mustWait ? { ...differences, vanished: [] } : differences)
  const decided = await decide(differences.doubtful)
  const again = decided < differences.doubtful.length ? [""] : [...unsettled, ...differences.inWork]
  return { again, removed, leaving: mustWait ? vanished.map((row) => row.id) : [], missing }

  /** Those that the rules leave out now are still there, and are no loss. */
  async function countMissing(vanished: readonly FileRow[]): Promise<number> {
    if (vanished.length <= accepted) return 0
    const total = await store.count(folder.id)
    const isReplaced = folder.managed && (await wereReplaced(vanished))
    const isAway = isReplaced || (await wereOnOtherDrive(vanished))
    const areTooMany = (some: number) => isAway || areMissed(some, total, circumstances)
    if (!areTooMany(vanished.length)) return 0
    const absent = await lock.run(folder.id, async () => {
      const rows = await stillKnown(vanished)
      return isReplaced ? rows.length : countAbsent(folder.path, rows.map(pathOf))
    })
    return absent > accepted && areTooMany(absent) ? absent : 0
  }

  /** Whether something else, such as a link, stands where a directory of the box's own was. */
  async function wereReplaced(vanished: readonly FileRow[]): Promise<boolean> {
    const directories = new Set(vanished.flatMap((row) => directoriesAbove(row.subFolder)))
    for (const directory of directories) {
      const found = await lstat(join(folder.path, directory)).catch(() => null)
      if (found && !found.isDirectory()) return true
    }
    return false
  }

  /**
   * Whether a drive that was mounted below the directory isn't there any more, or another one now is, and more than half of what
   * was known there is gone.
   */
  async function wereOnOtherDrive(vanished: readonly FileRow[]): Promise<boolean> {
    const known = await mounts.of(folder.id)
    for (const path of new Set([...known.keys(), ...mounted.keys()])) {
      const lost = vanished.filter((row) => pathOf(row).startsWith(`${path}/`)).length
      const now = await deviceOf(join(folder.path, path)).catch(() => null)
      if (lost === 0 || now === known.get(path)) continue
      if (lost > (await store.under(folder.id, path)).length / 2) return true
    }
    return false
  }

  /** Answers the files that were removed. */
  async function apply({ added, changed, vanished }: Differences): Promise<FileRow[]> {
    const removed: FileRow[] = []
    await inSteps(vanished, async (some) => {
      const rows = await gone(some)
      const ids = rows.map((row) => row.id)
      await requireDrive()
      await store.remove(ids)
      onRemoved(folder.id, ids)
      removed.push(...rows)
    })
    await inSteps(changed, change)
    await inSteps(added, async (some) => {
      const fresh = some.map((file) => newFileRow(folder.id, file, scanPriority, formerId(file.path)))
      await store.insert(fresh)
      onChanged(fresh.map((row) => row.id))
    })
    return removed
  }

  async function change(some: Change[]): Promise<void> {
    await store.change(some)
    onReplaced(some.filter((one) => one.newContent).map((one) => one.from.id))
    onChanged(
      some.filter(({ to, newContent }) => newContent || to.name !== undefined).map((one) => one.from.id),
    )
  }

  /**
   * Reads those which may be other files than before, for a while, and answers how many: after a drive was copied that may be all.
   */
  async function decide(doubtful: Differences["doubtful"]): Promise<number> {
    const until = performance.now() + longestReadingMs
    let decided = 0
    while (decided < doubtful.length && performance.now() < until) {
      const changes: Change[] = []
      for (const { from, to } of doubtful.slice(decided, decided + rowsPerStep)) {
        decided++
        const hash = await hashInside(folder.path, to, signal)
        if (hash !== null)
          changes.push(hash === from.contentHash ? withSameContent(from, to) : withContent(from, to))
        if (performance.now() > until) break
      }
      await inSteps(changes, change)
    }
    return decided
  }

  /** A drive that was unplugged meanwhile takes nothing away; in its place may be an empty directory. */
  async function requireDrive(): Promise<void> {
    if ((await deviceOf(folder.path)) !== device) throw new Error("The folder's drive was taken away.")
  }

  /** Rows elsewhere in the folder whose file now has one of the found paths. */
  async function movedFrom(files: ReadonlyMap<string, FoundFile>, seen: ReadonlyMap<string, FileRow>) {
    const known = new Set<string>()
    for (const row of seen.values()) {
      await breathe()
      known.add(pathOf(row))
    }
    const appeared = [...files.values()].filter((file) => !known.has(file.path))
    const candidates = await store.byIdentity(
      folder.id,
      appeared.map((file) => file.identity),
    )
    return gone(candidates.filter((row) => !seen.has(row.id)))
  }

  /** Those whose file isn't at its place, or is left out by the rules. */
  async function gone(candidates: readonly FileRow[]): Promise<FileRow[]> {
    const missing: FileRow[] = []
    for (const row of await stillKnown(candidates)) {
      const path = pathOf(row)
      if (!(await scan(folder.path, certainPart(path), rules, signal)).files.has(path)) missing.push(row)
    }
    return missing
  }

  /** Without those that somebody deletes meanwhile, who may bring them back. */
  function stillKnown(rows: readonly FileRow[]): Promise<FileRow[]> {
    const ids = rows.map((row) => row.id)
    return store.byIds(ids, folder.id)
  }

  /** In steps, so that an upload into the same folder needn't wait long. */
  async function inSteps<T>(items: readonly T[], step: (some: T[]) => Promise<void>): Promise<void> {
    for (let from = 0; from < items.length; from += rowsPerStep) {
      signal.throwIfAborted()
      await lock.run(folder.id, () => step(items.slice(from, from + rowsPerStep)))
    }
  }
}

/** The device that a directory lies on. */
export const deviceOf = async (path: string): Promise<string> =>
  String((await lstat(path, { bigint: true })).dev)

/** `a/b/c` has `a`, `a/b` and itself. */
function directoriesAbove(path: string): string[] {
  const names = path.split("/")
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"))
}

/** Null for a file that can't be read now, or isn't as it was found any more. */
async function hashInside(root: string, file: FoundFile, signal: AbortSignal): Promise<string | null> {
  try {
    await using handle = await openInside(root, file.path.split("/"))
    const hash = await hashFile(handle, signal)
    const { changedMs, size } = describe(file.path, await handle.stat({ bigint: true }))
    return changedMs === file.changedMs && size === file.size ? hash : null
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/** Paths without those that lie inside others of them. */
async function outermost(paths: readonly string[]): Promise<string[]> {
  const sorted = [...new Set(paths)].sort()
  if (sorted[0] === "") return [""]
  const chosen = new Set<string>()
  for (const path of sorted) {
    await breathe()
    const names = path.split("/")
    const inside = names.some((_, depth) => depth > 0 && chosen.has(names.slice(0, depth).join("/")))
    if (!inside) chosen.add(path)
  }
  return [...chosen]
}

function isBeingWritten(file: FoundFile): boolean {
  // A time in the future comes from another clock and says nothing, except one within the clock's own precision.
  const ageMs = Date.now() - file.modifiedMs
  return ageMs > -stillMs && ageMs < stillMs
}
