import { constants } from "node:fs"
import { lstat, mkdir, open, readlink, realpath, stat, type FileHandle } from "node:fs/promises"
import { homedir } from "node:os"
import { join, dirname, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { isOwnName, syncDirectory } from "./durable-file.ts"

/**
 * Normalises a path as users enter it: in quotes, as file managers copy it, as a file address on this computer, or relative to the home
 * directory of the user who runs the box (`~`). Anything else stays unchanged.
 */
export function typedPath(given: string, home: string = homedir()): string {
  const bare = given.trim().replace(/^(["'])(.+)\1$/, "$2")
  if (/^~(?=$|[\\/])/.test(bare)) return join(home, bare.slice(1))
  // With the address of a file on another computer, Windows would contact that computer.
  if (!/^file:\/\/(?:localhost)?\//i.test(bare)) return bare
  try {
    return fileURLToPath(bare)
  } catch {
    return bare
  }
}

/** Maximum length of a file name, in bytes of UTF-8, on every common file system. */
const maxNameLength = 255
const maxPathLength = 1024
const maxDepth = 32
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$|clock\$)$/i
/** Not allowed in names on Windows. */
const unusable = /["*:<>?|]/g
/** Invisible or misleading characters: controls, line ends, direction marks, zero-width characters. */
const unseen = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/**
 * Splits the path of a file inside a folder into names, the file's own last. `\` separates like `/`. Throws `validation` for anything that
 * could lead out of the folder or has another meaning on another system: absolute paths, drives, `..`, NUL, reserved device names.
 */
export function parseRelativePath(text: string, field = "relativePath"): string[] {
  if (text.includes("\0")) throw invalidField(field, sentence("core.path_with_nul", { field }))
  if (!text.isWellFormed()) throw invalidField(field, sentence("core.path_not_unicode", { field }))
  if (/^[\\/]/.test(text)) throw invalidField(field, sentence("core.path_absolute", { field }))
  if (/^[a-z]:/i.test(text)) throw invalidField(field, sentence("core.path_with_drive", { field }))
  if (text.length > maxPathLength)
    throw invalidField(field, sentence("core.path_too_long", { field, count: maxPathLength }))
  const parts = text.split(/[\\/]/)
  if (parts.at(-1) === "" || parts.at(-1) === ".")
    throw invalidField(field, sentence("core.path_without_name", { field }))
  const names = parts.filter((part) => part !== "" && part !== ".")
  if (names.length > maxDepth)
    throw invalidField(field, sentence("core.path_too_deep", { field, count: maxDepth }))
  return names.map((part) => {
    const seenBySystems = part.normalize("NFKC")
    if (/^[. ]*$/.test(seenBySystems)) throw invalidField(field, sentence("core.path_with_dots", { field }))
    if (/[\\/\0]/.test(seenBySystems))
      throw invalidField(field, sentence("core.path_with_separator", { field }))
    if (isDevice(part))
      throw invalidField(field, sentence("core.path_with_reserved_name", { field, name: getDevice(part) }))
    const name = usableName(part)
    if (name === "") throw invalidField(field, sentence("core.path_with_empty_name", { field }))
    if (Buffer.byteLength(name) > maxNameLength)
      throw invalidField(field, sentence("core.path_with_long_name", { field, count: maxNameLength }))
    if (isOwnName(name)) throw invalidField(field, sentence("core.path_with_own_name", { field }))
    return name
  })
}

/** Returns the name under which an uploaded file is stored; never fails. Directories in the name are dropped. */
export function storedName(fileName: string): string {
  const last = fileName.toWellFormed().split(/[\\/]/).at(-1) ?? ""
  const usable = usableName(last)
  if (usable === "" || /^[. ]*$/.test(usable.normalize("NFKC")) || /[\\/]/.test(usable.normalize("NFKC")))
    return "file"
  return numberedName(isDevice(usable) || isOwnName(usable) ? `_${usable}` : usable, 1)
}

/** Returns `name` for 1, `stem (2).ext` for 2 and so on, shortened to the maximum length of file systems. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf(".")
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ""
  const suffix = `${number > 1 ? ` (${number})` : ""}${extension}`
  let stem = Array.from(name.slice(0, name.length - extension.length))
  while (Buffer.byteLength(stem.join("") + suffix) > maxNameLength) stem = stem.slice(0, -1)
  return stem.join("") + suffix
}

const usableName = (name: string) =>
  name
    .replace(unusable, "_")
    .replace(unseen, "_")
    .replace(/[. ]+$/, "")
    .trimStart()
    .normalize("NFC")

/** Makes a name or text safe inside quotation marks: it can't end the quotation, and invisible characters are replaced. */
export const quotable = (text: string): string => text.replace(unseen, "_").replace(/["«»]/g, "'")

const getDevice = (name: string) => (name.normalize("NFKC").split(/[.:]/)[0] ?? "").trim()
const isDevice = (name: string) => device.test(getDevice(name))

/**
 * Returns the absolute path of an item inside `root`. `root` and all directories on the path must be real: a symbolic link throws
 * `not_found`. The last name needn't exist.
 */
export async function resolveInside(root: string, names: readonly string[]): Promise<string> {
  if (names.some(isUnsafeName)) throw outside()
  for (let depth = 0; depth < names.length; depth++) {
    const directory = join(root, ...names.slice(0, depth))
    const found = await lstat(directory).catch(throwNotFound)
    if (!found.isDirectory()) throw outside()
  }
  return join(root, ...names)
}

/** Returns the path of `name` in `directory`. Throws `not_found` for a name that leads elsewhere. */
export function joinInside(directory: string, name: string): string {
  if (isUnsafeName(name)) throw outside()
  return join(directory, name)
}

/**
 * Creates a directory inside `root`, with its parents. Throws `conflict` if a file or link is in the way, and `not_found` for names that
 * lead elsewhere, before it creates anything.
 */
export async function makeDirectoryInside(root: string, names: readonly string[]): Promise<string> {
  if (names.some(isUnsafeName)) throw outside()
  let directory = root
  for (const name of names) {
    const parent = directory
    directory = join(parent, name)
    const made = await mkdir(directory).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") return false
        throw error
      },
    )
    if (made) await syncDirectory(parent)
    else if (!(await lstat(directory)).isDirectory()) {
      throw new AppError("conflict", sentence("core.name_of_file", { name }))
    }
  }
  return directory
}

/**
 * Opens a file inside `root` for reading. Checks the location of the open file, so that a directory which is replaced with a link in the
 * meantime doesn't lead outside. Throws `not_found`.
 */
export async function openInside(root: string, names: readonly string[]): Promise<FileHandle> {
  const path = await resolveInside(root, names)
  const handle = await open(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  ).catch(throwNotFound)
  try {
    const opened = await handle.stat({ bigint: true })
    const [realRoot, realFile] = await Promise.all([realpath(root), findOpenPath(handle, path)]).catch(
      throwNotFound,
    )
    const named = await stat(realFile, { bigint: true }).catch(throwNotFound)
    const inside = dirname(realFile) === realRoot || realFile.startsWith(realRoot + sep)
    if (!opened.isFile() || !inside || named.ino !== opened.ino || named.dev !== opened.dev) throw outside()
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Returns the location of an open file, wherever its path leads now. Systems other than Linux can only resolve the path again. */
const findOpenPath = ({ fd }: FileHandle, path: string) =>
  process.platform === "linux" ? readlink(`/proc/self/fd/${fd}`) : realpath(path)

/** Names also come from the database, which may be restored from someone else's backup. */
const isUnsafeName = (name: string) =>
  name === "" || name === "." || name === ".." || /[/\0]/.test(name) || name.includes(sep)

const outside = () => new AppError("not_found", sentence("core.file_gone"))

function throwNotFound(error: NodeJS.ErrnoException): never {
  if (["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO", "ENAMETOOLONG"].includes(error.code ?? ""))
    throw outside()
  throw error
}
