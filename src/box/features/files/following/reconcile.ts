import { loadIgnoreRules, managedRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import type { FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import { compare } from "./compare.ts"
import { countMissing } from "./count-missing.ts"
import type { FormerFile } from "./departures.ts"
import { decideDoubtful } from "./doubtful-files.ts"
import { createFolderWriter, type FolderWriterDeps } from "./folder-writer.ts"
import { findGoneFiles } from "./gone-files.ts"
import type { Circumstances } from "./missing-files.ts"
import type { MountStore } from "./mounts.ts"
import { survey } from "./survey.ts"

export interface ReconcileDeps extends FolderWriterDeps {
  mounts: MountStore
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
