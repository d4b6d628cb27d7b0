import { open, rename } from "node:fs/promises"
import { dirname } from "node:path"

/** Makes sure that a file's bytes, or a directory's names, survive a power cut. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces `target` by `source` in one step that survives a power cut. Both must be on the same file system. */
export async function renameDurably(source: string, target: string): Promise<void> {
  await rename(source, target)
  // Windows can't sync directories; its file systems journal renames.
  if (process.platform !== "win32") await syncToDisk(dirname(target))
}
