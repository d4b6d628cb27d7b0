import { constants } from "node:fs"
import { copyFile, link, lstat, open, rename, rm, utimes } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { newId } from "../ids.ts"

/** Begins the name of every file that is still being written; such files are never shown or indexed. */
export const partialPrefix = ".casella-partial-"

/** Begins the name of somebody's file that is out of the way while it is changed: never shown or indexed either, nor removed unseen. */
export const asidePrefix = ".casella-aside-"

/** Whether the box keeps such names for itself. */
export const isOwnName = (name: string): boolean =>
  name.startsWith(partialPrefix) || name.startsWith(asidePrefix)

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
 * `EEXIST`. The new name survives a power cut. `begin` is told the path of the file that gets the name, before it does.
 */
export async function linkOrCopy(
  source: string,
  target: string,
  begin: (path: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await begin(source)
  try {
    await link(source, target)
  } catch (error) {
    if (!cannotLink.has((error as NodeJS.ErrnoException).code ?? "")) throw error
    await copyUnderFreeName(source, target, begin)
  }
  await syncDirectory(dirname(target))
}

/**
 * Gives a file another name, in a way that survives a power cut. Never replaces an existing file: throws `EEXIST`; but where
 * there are no hard links, one that appears in the same moment isn't seen.
 */
export async function moveToFreeName(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ""
    if (!cannotLink.has(code)) throw error
    if (code === "EXDEV") await copyUnderFreeName(source, target)
    else await renameToFreeName(source, target)
  }
  await syncDirectory(dirname(target))
  await rm(source, { force: true })
}

async function copyUnderFreeName(
  source: string,
  target: string,
  begin?: (path: string) => Promise<void>,
): Promise<void> {
  await using partial = await copyInto(source, dirname(target))
  await begin?.(partial.path)
  await renameToFreeName(partial.path, target)
}

/**
 * A copy under a name of the box's own, which says whose if the source's does, as old as that and flushed to disk. Disposing removes it unless it was
 * renamed.
 */
async function copyInto(source: string, directory: string): Promise<{ path: string } & AsyncDisposable> {
  const path = partialPath(source, directory)
  const remove = () => rm(path, { force: true })
  try {
    const { atime, mtime } = await lstat(source)
    await copyFile(source, path, constants.COPYFILE_EXCL)
    await utimes(path, atime, mtime).catch(() => undefined) // not every file system lets anybody set them
    await syncToDisk(path)
  } catch (error) {
    await remove()
    throw error
  }
  return { path, [Symbol.asyncDispose]: remove }
}

/** The file itself where it can be renamed into a directory, else a copy there. Disposing removes a copy that wasn't renamed. */
export async function bringNear(
  source: string,
  directory: string,
): Promise<{ path: string } & AsyncDisposable> {
  if (!(await isNear(source, directory))) return copyInto(source, directory)
  return { path: source, [Symbol.asyncDispose]: () => Promise.resolve() }
}

/** Told by trying too: a bind mount is of the same device, and takes nothing from beyond it. */
async function isNear(source: string, directory: string): Promise<boolean> {
  if ((await lstat(source)).dev !== (await lstat(directory)).dev) return false
  const tried = partialPath(source, directory)
  return link(source, tried).then(
    async () => {
      await rm(tried)
      return true
    },
    (error: NodeJS.ErrnoException) => error.code !== "EXDEV",
  )
}

function partialPath(source: string, directory: string): string {
  const name = basename(source)
  const stem = name.startsWith(partialPrefix) ? `${name}-` : partialPrefix
  return join(directory, `${stem}${newId()}`)
}

async function renameToFreeName(source: string, target: string): Promise<void> {
  if (await exists(target)) throw Object.assign(new Error("The name is taken."), { code: "EEXIST" })
  await rename(source, target)
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
