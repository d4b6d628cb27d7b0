import { hashFile } from "../../../core/files/hash-file.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { describe, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { withContent, withSameContent, type Change, type Differences } from "./compare.ts"
import { rowsPerStep, type FolderWriter } from "./folder-writer.ts"

/** Other changes in the folder wait so long for files to be read that may be others than before. */
const longestReadingMs = 5_000

/**
 * Reads those which may be other files than before, for a while, and answers how many: after a drive was copied that may be all.
 */
export async function decideDoubtful(
  doubtful: Differences["doubtful"],
  root: string,
  writer: Pick<FolderWriter, "change">,
  signal: AbortSignal,
): Promise<number> {
  const until = performance.now() + longestReadingMs
  let decided = 0
  while (decided < doubtful.length && performance.now() < until) {
    const changes: Change[] = []
    for (const { from, to } of doubtful.slice(decided, decided + rowsPerStep)) {
      decided++
      const hash = await hashInside(root, to, signal)
      if (hash !== null)
        changes.push(hash === from.contentHash ? withSameContent(from, to) : withContent(from, to))
      if (performance.now() > until) break
    }
    await writer.change(changes)
  }
  return decided
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
