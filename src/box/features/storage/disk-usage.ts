import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"

export interface DiskUsage {
  bytes: number
  /** False if the time ran out before everything was counted. */
  complete: boolean
}

/** Size of a file, or of all files under a directory, as far as they can be counted until `deadline` (ms of `performance.now()`). */
export async function measure(path: string, deadline: number): Promise<DiskUsage> {
  let bytes = 0
  const waiting = [path]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (performance.now() > deadline) return { bytes, complete: false }
    const found = await lstat(next).catch(ignoreMissing)
    if (!found?.isDirectory()) {
      bytes += found?.size ?? 0
      continue
    }
    const directory = await opendir(next).catch(ignoreMissing)
    if (!directory) continue
    for await (const entry of directory) waiting.push(join(next, entry.name))
  }
  return { bytes, complete: true }
}

/** Files may be created and deleted while they are counted. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}
