import { constants } from "node:fs"
import { copyFile, link, lstat, open, rename, rm, utimes, mkdir, opendir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { newId } from "../ids.ts"

/** Name prefix of every file that is still being written; such files are never shown or indexed. */
export const partialPrefix = ".casella-partial-"

/** Name prefix of a user's file that is moved aside while it is changed. It isn't shown or indexed either, and is never removed unseen. */
export const asidePrefix = ".casella-aside-"

/** Whether the box reserves such names. */
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

/** Makes added and removed names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't sync directories; its file systems journal renames.
  if (process.platform !== "win32") await syncToDisk(path)
}

const maxSynced = 16

/** Makes everything in a directory survive a power cut. What the system has already written to the disk takes hardly any time. */
export async function syncTree(directory: string): Promise<void> {
  let paths: string[] = []
  const syncPaths = async () => {
    await Promise.all(paths.map(syncToDisk))
    paths = []
  }
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await syncTree(path)
    else if (paths.push(path) === maxSynced) await syncPaths()
  }
  await syncPaths()
  await syncDirectory(directory)
}

/** Replaces `target` with `source` in one step that survives a power cut. Both must be on the same file system. */
export async function renameDurably(source: string, target: string): Promise<void> {
  await rename(source, target)
  await syncDirectory(dirname(target))
}

/** Error codes of `link` if a file system has no hard links, or they can't reach the target. */
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
 * Gives a file a second name, or copies it if that isn't possible. Never replaces an existing file: throws `EEXIST`. The new name survives
 * a power cut. `begin` first receives the path of the file that gets the name.
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
 * Renames a file in a way that survives a power cut. Never replaces an existing file: throws `EEXIST`. On file systems without hard links,
 * a file that appears at the same moment isn't detected.
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
 * Creates a copy with the same times, flushed to disk, under one of the box's reserved names. If the source's name is reserved too, the
 * copy's name starts with it. Disposing removes the copy unless it was renamed.
 */
async function copyInto(source: string, directory: string): Promise<{ path: string } & AsyncDisposable> {
  const path = partialPath(source, directory)
  const remove = () => rm(path, { force: true })
  try {
    const { atime, mtime } = await lstat(source)
    await copyFile(source, path, constants.COPYFILE_EXCL)
    await utimes(path, atime, mtime).catch(() => undefined) // not every file system lets every user set times
    await syncToDisk(path)
  } catch (error) {
    await remove()
    throw error
  }
  return { path, [Symbol.asyncDispose]: remove }
}

/** Returns the file itself if it can be renamed into a directory; otherwise a copy there. Disposing removes a copy that wasn't renamed. */
export async function bringNear(
  source: string,
  directory: string,
): Promise<{ path: string } & AsyncDisposable> {
  if (!(await isNear(source, directory))) return copyInto(source, directory)
  return { path: source, [Symbol.asyncDispose]: () => Promise.resolve() }
}

/** Also tries it: a bind mount has the same device number but doesn't accept files from outside. */
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
