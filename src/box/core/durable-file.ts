import { constants } from "node:fs"
import { copyFile, link, lstat, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { newId } from "./ids.ts"

/** Begins the name of every file that is still being written; such files are never shown or indexed. */
export const partialPrefix = ".casella-partial-"

/** Makes sure that a file's bytes, or a directory's names, survive a power cut. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes names that were given or taken away in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't sync directories; its file systems journal renames.
  if (process.platform !== "win32") await syncToDisk(path)
}

/** Replaces `target` by `source` in one step that survives a power cut. Both must be on the same file system. */
export async function renameDurably(source: string, target: string): Promise<void> {
  await rename(source, target)
  await syncDirectory(dirname(target))
}

/** What `link` answers where a file system has no hard links, or where they can't reach. */
const cannotLink = new Set([
  "EPERM",
  "EXDEV",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EINVAL",
  "UNKNOWN",
])

/**
 * Gives a second name to a file, or copies it where that can't be done. Never replaces an existing file: throws
 * `EEXIST`. The new name survives a power cut.
 */
export async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    if (!cannotLink.has((error as NodeJS.ErrnoException).code ?? "")) throw error
    await copyUnderFreeName(source, target)
  }
  await syncDirectory(dirname(target))
}

async function copyUnderFreeName(source: string, target: string): Promise<void> {
  const partial = join(dirname(target), `${partialPrefix}${newId()}`)
  try {
    await copyFile(source, partial, constants.COPYFILE_EXCL)
    await syncToDisk(partial)
    if (await exists(target)) throw Object.assign(new Error("The name is taken."), { code: "EEXIST" })
    await rename(partial, target)
  } finally {
    await rm(partial, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false
      throw error
    },
  )
}

/** Replaces `target` by `source`, also across file systems, without a moment in which `target` is missing or half. */
export async function replaceDurably(source: string, target: string): Promise<void> {
  try {
    await renameDurably(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error
    const partial = join(dirname(target), `${partialPrefix}${newId()}`)
    try {
      await copyFile(source, partial, constants.COPYFILE_EXCL)
      await syncToDisk(partial)
      await renameDurably(partial, target)
      await rm(source)
    } finally {
      await rm(partial, { force: true })
    }
  }
}
