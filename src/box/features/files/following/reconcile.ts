import { hashFile } from "../../../core/files/file-contents.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import {
  loadIgnoreRules,
  managedRules,
  describe,
  type FoundFile,
} from "../../../engines/folder-watcher/scan.ts"
import { newFileRow, scanPriority, type FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import { type Change, type Differences, toContentChange, toSameContentChange, compare } from "./compare.ts"
import type { FormerFile } from "./departures.ts"
import { requireDrive, type MountStore } from "./known-directories.ts"
import { countMissing, findGoneFiles, type Circumstances } from "./missing-files.ts"
import { survey } from "./survey.ts"

/** Writes differences to the database in steps, so that an upload into the same folder doesn't wait long. */
interface FolderWriter {
  /** Returns the files that were removed. */
  write(differences: Pick<Differences, "added" | "changed" | "vanished">): Promise<FileRow[]>
  change(changes: readonly Change[]): Promise<void>
}

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

interface FolderWriterOptions {
  folder: Pick<StoredFolder, "id" | "path">
  /** Device of the directory. Nothing is removed after it changes. */
  device: string
  /** Returns those of the files that are gone now. */
  gone(files: readonly FileRow[]): Promise<FileRow[]>
  /** Returns the file that was at this path before it was treated as deleted a short while ago. */
  former(path: string): FormerFile | undefined
  /** Stops writing after the current step. */
  signal: AbortSignal
}

/** Number of rows per transaction. Uploads into the same folder wait for it. */
const rowsPerStep = 100

function createFolderWriter(
  { store, lock, onChanged, onReplaced, onRemoved }: ReconcileDeps,
  { folder, device, gone, former, signal }: FolderWriterOptions,
): FolderWriter {
  async function runInBatches<T>(items: readonly T[], step: (some: T[]) => Promise<void>): Promise<void> {
    for (let from = 0; from < items.length; from += rowsPerStep) {
      signal.throwIfAborted()
      await lock.run(folder.id, () => step(items.slice(from, from + rowsPerStep)))
    }
  }

  const change = (changes: readonly Change[]) =>
    runInBatches(changes, async (some) => {
      await store.change(some)
      onReplaced(some.filter((one) => one.newContent).map((one) => one.from.id))
      onChanged(
        some.filter(({ to, newContent }) => newContent || to.name !== undefined).map((one) => one.from.id),
      )
    })

  return {
    async write({ added, changed, vanished }) {
      const removed: FileRow[] = []
      await runInBatches(vanished, async (some) => {
        const rows = await gone(some)
        const ids = rows.map((row) => row.id)
        await requireDrive(folder.path, device)
        await store.remove(ids)
        onRemoved(folder.id, ids)
        removed.push(...rows)
      })
      await change(changed)
      await runInBatches(added, async (some) => {
        const left: string[] = []
        const fresh = some.map((file) => {
          const { leftOut, ...before } = former(file.path) ?? {}
          const row = { ...newFileRow(folder.id, file, scanPriority), ...before }
          if (leftOut === 1) left.push(row.id)
          return row
        })
        await store.insert(fresh)
        if (left.length > 0) await store.excludeFromSearch(left)
        onChanged(fresh.map((row) => row.id))
      })
      return removed
    },
    change,
  }
}

/** Maximum time for reading possibly changed files, during which other changes in the folder wait. */
const readingTimeoutMs = 5_000

/**
 * Reads files that may have changed, for a limited time, and returns how many were decided. After a drive was copied, these may be all
 * files.
 */
async function decideDoubtful(
  doubtful: Differences["doubtful"],
  root: string,
  writer: Pick<FolderWriter, "change">,
  signal: AbortSignal,
): Promise<number> {
  const until = performance.now() + readingTimeoutMs
  let decided = 0
  while (decided < doubtful.length && performance.now() < until) {
    const changes: Change[] = []
    for (const { from, to } of doubtful.slice(decided, decided + rowsPerStep)) {
      decided++
      const hash = await hashInside(root, to, signal)
      if (hash !== null)
        changes.push(hash === from.contentHash ? toSameContentChange(from, to) : toContentChange(from, to))
      if (performance.now() > until) break
    }
    await writer.change(changes)
  }
  return decided
}

/** Returns null if the file can't be read or has changed since it was found. */
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

export type ReconciledFolder = Pick<StoredFolder, "id" | "path" | "managed">

/** Options for scanning a folder's directory. */
export interface ScanOptions extends Circumstances {
  /** Relative paths to scan, with everything below them; the empty string for everything. */
  paths: readonly string[]
  /** Device of the directory, as returned by `getDevice`. Nothing is removed after it changes. */
  device: string
  /** Number of files that may be treated as deleted because a user confirmed it. */
  accepted: number
  /**
   * Number of files, including recent ones, that may be treated as deleted at once. If there are more, the scan waits to see whether others
   * follow.
   */
  maxRemoved: number
  /** IDs of files that were already gone. Those that still are, are treated as deleted. */
  left: readonly string[]
  /** Returns the file that was at this path before it was treated as deleted a short while ago. */
  former(path: string): FormerFile | undefined
}

/** The result of a scan. */
export interface ScanResult {
  /** Paths to scan again because their files are still being written or read. */
  rescanPaths: string[]
  /** Files that were treated as deleted. */
  removed: FileRow[]
  /** IDs of files that are gone but were kept, because more are gone than may be removed at once. */
  leaving: string[]
  /** Number of missing files, if they are too many to be treated as deleted. If there are any, nothing was changed. */
  missing: number
}

/**
 * Updates the database to match a folder's directory at and below the given paths, unless too many files are missing. Changes made before
 * the signal is aborted are kept.
 */
export async function reconcile(
  deps: ReconcileDeps,
  folder: ReconciledFolder,
  { paths, device, accepted, maxRemoved, left, former, ...circumstances }: ScanOptions,
  signal: AbortSignal,
): Promise<ScanResult> {
  const { store, mounts } = deps
  const rules = folder.managed ? managedRules : await loadIgnoreRules(folder.path)
  const { found, known, unsettled, mounted } = await survey({
    store,
    folder,
    rules,
    paths,
    device,
    left,
    signal,
  })
  const differences = await compare(found, known, folder)
  const { vanished, doubtful, inProgress } = differences
  const missing = await countMissing(deps, folder, vanished, { accepted, mounted, ...circumstances })
  if (missing > 0) return { rescanPaths: [], removed: [], leaving: [], missing }
  await (paths.includes("") ? mounts.replace(folder.id, mounted) : mounts.add(folder.id, mounted))
  const mustWait = vanished.length > accepted && vanished.length + circumstances.removedLately > maxRemoved
  const gone = (files: readonly FileRow[]) => findGoneFiles(files, { store, folder, rules, signal })
  const writer = createFolderWriter(deps, { folder, device, gone, former, signal })
  const removed = await writer.write(mustWait ? { ...differences, vanished: [] } : differences)
  const decided = await decideDoubtful(doubtful, folder.path, writer, signal)
  const rescanPaths = decided < doubtful.length ? [""] : [...unsettled, ...inProgress]
  return { rescanPaths, removed, leaving: mustWait ? vanished.map((row) => row.id) : [], missing }
}
