import { loadIgnoreRules, managedRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import type { FileRow } from "../file-entry.ts"
import type { FolderPlace } from "../folder-places.ts"
import { compare } from "./compare.ts"
import { countMissing } from "./count-missing.ts"
import type { FormerFile } from "./departures.ts"
import { decideDoubtful } from "./doubtful-files.ts"
import { createFolderWriter, type FolderWriterDeps } from "./folder-writer.ts"
import { goneOf } from "./gone-files.ts"
import type { Circumstances } from "./missing-files.ts"
import type { MountStore } from "./mounts.ts"
import { survey } from "./survey.ts"

export interface ReconcileDeps extends FolderWriterDeps {
  mounts: MountStore
}

export type ReconciledFolder = Pick<FolderPlace, "id" | "path" | "managed">

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
  /** What the file at this path was before it was taken for deleted a short while ago. */
  former(path: string): FormerFile | undefined
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

/**
 * Makes the database say what a folder's directory holds at or below the given paths, unless too much of it is missing.
 * What it has done when the signal ends it stays done.
 */
export async function reconcile(
  deps: ReconcileDeps,
  folder: ReconciledFolder,
  { paths, device, accepted, mayGo, left, former, ...circumstances }: LookOptions,
  signal: AbortSignal,
): Promise<Look> {
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
  const { vanished, doubtful, inWork } = differences
  const missing = await countMissing(deps, folder, vanished, { accepted, mounted, ...circumstances })
  if (missing > 0) return { again: [], removed: [], leaving: [], missing }
  await (paths.includes("") ? mounts.replace(folder.id, mounted) : mounts.add(folder.id, mounted))
  const mustWait = vanished.length > accepted && vanished.length + circumstances.removedLately > mayGo
  const gone = (files: readonly FileRow[]) => goneOf(files, { store, folder, rules, signal })
  const writer = createFolderWriter(deps, { folder, device, gone, former, signal })
  const removed = await writer.write(mustWait ? { ...differences, vanished: [] } : differences)
  const decided = await decideDoubtful(doubtful, folder.path, writer, signal)
  const again = decided < doubtful.length ? [""] : [...unsettled, ...inWork]
  return { again, removed, leaving: mustWait ? vanished.map((row) => row.id) : [], missing }
}
