import { hashFile } from "../../../core/files/hash-file.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { describe, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { toContentChange, toSameContentChange, type Change, type Differences } from "./compare.ts"
import { rowsPerStep, type FolderWriter } from "./folder-writer.ts"

/** Maximum time for reading possibly changed files, during which other changes in the folder wait. */
const readingTimeoutMs = 5_000

/**
 * Reads files that may have changed, for a limited time, and returns how many were decided. After a drive was copied, these may be all
 * files.
 */
export async function decideDoubtful(
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
