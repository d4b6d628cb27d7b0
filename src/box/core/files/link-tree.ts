import { lstat, mkdir, opendir } from "node:fs/promises"
import { join } from "node:path"
import { linkOrCopy } from "./durable-file.ts"

/**
 * Hard-links every file under `source` to `target`, which then preserves the current state: stored files are replaced or deleted, never
 * modified. Returns their total size. Skips files that disappear in the meantime.
 */
export async function linkTree(source: string, target: string, signal?: AbortSignal): Promise<number> {
  let bytes = 0
  const directory = await opendir(source).catch(ignoreMissing)
  if (!directory) return bytes
  await mkdir(target, { recursive: true })
  for await (const entry of directory) {
    signal?.throwIfAborted()
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) bytes += await linkTree(from, to, signal)
    else if (entry.isFile()) bytes += await linkFile(from, to)
  }
  return bytes
}

async function linkFile(from: string, to: string): Promise<number> {
  try {
    await linkOrCopy(from, to)
    return (await lstat(to)).size
  } catch (error) {
    return ignoreMissing(error as NodeJS.ErrnoException) ?? 0
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}
