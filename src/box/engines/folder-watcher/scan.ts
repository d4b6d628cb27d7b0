import { isUtf8 } from "node:buffer"
import type { BigIntStats } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join, dirname } from "node:path"
import { dataDirectoryMarkers, isDataDirectory } from "../../core/data-directory/marker.ts"
import { isOwnName } from "../../core/files/durable-file.ts"
import { readSmallFile } from "../../core/files/file-contents.ts"

/** Rules for the files of a directory to ignore. Paths are relative, with `/` between names. */
export interface IgnoreRules {
  ignores(path: string, kind: "file" | "directory"): boolean
  /** File names of which at least one is in every directory that is ignored because of its contents. */
  markerNames: readonly string[]
  /** Whether the directory at an absolute path is ignored, with everything below it, because of its contents. */
  isExcludedDirectory(directory: string): boolean
}

export const ignoreFileName = ".casellaignore"

/** Ignored unless `.casellaignore` includes them again with `!`. */
const defaults = [
  ".*",
  "node_modules/",
  "__pycache__/",
  "$RECYCLE.BIN/",
  "System Volume Information/",
  "Thumbs.db",
  "desktop.ini",
  "~$*",
  "*.tmp",
  "*.part",
  "*.partial",
  "*.crdownload",
  "*.download",
]

/** Rules for a directory that the box created: everything in it belongs there. */
export const managedRules: IgnoreRules = {
  ignores: (path) => path.split("/").some(isOwnName),
  markerNames: [],
  isExcludedDirectory: () => false,
}

/**
 * Rules for a user's directory. They ignore hidden and temporary files, the patterns of its `.casellaignore` in gitignore syntax, and data
 * directories of a box, whose secrets would otherwise be searchable.
 */
export async function loadIgnoreRules(root: string): Promise<IgnoreRules> {
  const own = await readSmallFile(join(root, ignoreFileName)).catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "EISDIR", "EACCES", "ENOTDIR"].includes(error.code ?? "")) return ""
    throw error
  })
  const { default: ignore } = await import("ignore")
  const ignoreCase = process.platform !== "linux"
  const rules = ignore({ ignorecase: ignoreCase }).add(defaults).add(own)
  return {
    ignores: (path, kind) =>
      managedRules.ignores(path, kind) || rules.ignores(kind === "directory" ? `${path}/` : path),
    markerNames: dataDirectoryMarkers,
    isExcludedDirectory: isDataDirectory,
  }
}

/** Replaces bytes of a name that aren't text; system calls that return text use it too. */
const replacement = "\uFFFD"

/** Returns a name in displayable form. Bytes that aren't UTF-8, as in names from old systems, appear as � and their value. */
function shownName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  let name = ""
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((n) => at + n <= bytes.length && isUtf8(bytes.subarray(at, at + n)))
    if (length === undefined) name += replacement + bytes.toString("hex", at, at + 1).toUpperCase()
    else name += bytes.toString("utf8", at, at + length)
    at += length ?? 1
  }
  return name
}

/** Whether the real name of the file, or of a directory in its path, may differ on disk. */
export const isShownOnly = (path: string): boolean => path.includes(replacement)

/** Returns the part of a relative path that is certain to be the same on disk: its first directories, or all of it. */
export function certainPart(path: string): string {
  if (!isShownOnly(path)) return path
  const names = path.split("/")
  return names.slice(0, names.findIndex(isShownOnly)).join("/")
}

/** A file on disk, in the form that is compared with the database. */
export interface FoundFile {
  /** Relative path with `/` between names; in the form of `shownName` if it isn't UTF-8 on disk. */
  path: string
  size: number
  modifiedMs: number
  identity: string
  /** When the file, its name or its permissions last changed; null if that is about to change. */
  changedMs: number | null
  storage: "local" | "cloud"
}

export interface Scan {
  files: Map<string, FoundFile>
  /** Directories that couldn't be read: their contents are unknown. */
  unreadable: string[]
  /** Directories on another device than their parent, with the device: mounted drives. */
  mounts: Map<string, string>
}

const statsAtOnce = 64

/** An absolute path; in bytes if a name in it isn't UTF-8. */
type RawPath = string | Buffer
const inside = (rawPath: RawPath, name: string | Buffer): RawPath =>
  typeof rawPath === "string" && typeof name === "string"
    ? join(rawPath, name)
    : Buffer.concat([Buffer.from(rawPath), Buffer.from("/"), Buffer.from(name)])

/**
 * Finds the files at or below a relative path (empty: everything; otherwise all of it UTF-8). Never follows symbolic links, so nothing
 * outside is found. Skips files that disappear in the meantime. Throws if the root itself can't be read, or when aborted.
 */
export async function scan(
  root: string,
  start: string,
  rules: IgnoreRules,
  signal: AbortSignal,
): Promise<Scan> {
  const result: Scan = { files: new Map(), unreadable: [], mounts: new Map() }
  const first = start === "" ? null : await lstatInside(root, start, rules)
  if (start !== "" && (!first || isLeftOut(first, start, rules))) return result
  if (first?.isFile()) {
    result.files.set(start, describe(start, first))
    return result
  }
  const above = await lstat(start === "" ? root : dirname(join(root, start)), { bigint: true })
  if (first && first.dev !== above.dev) result.mounts.set(start, String(first.dev))
  const directories = [{ path: start, place: join(root, start) as RawPath, dev: first?.dev ?? above.dev }]
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    signal.throwIfAborted()
    const { path: parent, place: rawPath, dev } = directory
    const names = await namesIn(rawPath, parent, result)
    const isSigned = names.some((name) => rules.markerNames.includes(String(name)))
    if (isSigned && (typeof rawPath !== "string" || rules.isExcludedDirectory(rawPath))) continue
    for (let from = 0; from < names.length; from += statsAtOnce) {
      const entries = names.slice(from, from + statsAtOnce).map((name) => {
        const shown = typeof name === "string" ? name : shownName(name)
        return { path: parent ? `${parent}/${shown}` : shown, place: inside(rawPath, name) }
      })
      const stats = await Promise.all(entries.map((entry) => lstatOrNull(entry.place)))
      for (const [index, entry] of entries.entries()) {
        const found = stats[index]
        if (!found || isLeftOut(found, entry.path, rules)) continue
        if (found.isDirectory()) {
          directories.push({ ...entry, dev: found.dev })
          if (found.dev !== dev) result.mounts.set(entry.path, String(found.dev))
        } else result.files.set(entry.path, describe(entry.path, found))
      }
    }
  }
  return result
}

/** Returns the names in a directory, in bytes if they may not be UTF-8. */
async function namesIn(rawPath: RawPath, directory: string, result: Scan): Promise<(string | Buffer)[]> {
  try {
    const names = await readdir(rawPath)
    if (!names.some(isShownOnly)) return names
    const bytes = await readdir(rawPath, { encoding: "buffer" })
    return bytes.map((name) => (isUtf8(name) ? name.toString() : name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (directory === "") throw error
    if (code === "EACCES" || code === "EPERM") result.unreadable.push(directory)
    else if (code !== "ENOENT" && code !== "ENOTDIR") throw error
    return []
  }
}

/** Also returns null if a parent directory is a symbolic link, or is ignored because of a file in it. */
async function lstatInside(root: string, path: string, rules: IgnoreRules): Promise<BigIntStats | null> {
  const names = path.split("/")
  for (let depth = 0; depth < names.length; depth++) {
    const directory = join(root, ...names.slice(0, depth))
    if (depth > 0 && !(await lstatOrNull(directory))?.isDirectory()) return null
    for (const sign of rules.markerNames)
      if ((await lstatOrNull(join(directory, sign))) && rules.isExcludedDirectory(directory)) return null
  }
  return lstatOrNull(join(root, path))
}

async function lstatOrNull(path: RawPath): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(error.code ?? "")) return null
    throw error
  })
}

function isLeftOut(found: BigIntStats, path: string, rules: IgnoreRules): boolean {
  if (found.isDirectory()) return rules.ignores(path, "directory")
  return !found.isFile() || rules.ignores(path, "file")
}

/** Returns the properties of a file on disk that the database stores. */
export function describe(path: string, found: BigIntStats): FoundFile {
  return {
    path,
    size: Number(found.size),
    modifiedMs: Number(found.mtimeNs) / 1e6,
    identity: `${found.ino}:${found.birthtimeNs}`,
    changedMs: Number(found.ctimeNs) / 1e6,
    storage: isPlaceholder(found, process.platform) ? "cloud" : "local",
  }
}

/** Smaller files may be stored in the file system's own tables, without separate blocks. */
const smallestWithBlocks = 4096

/** Whether a file's bytes are only in a cloud drive: it has a size but uses no space. Works on macOS and Windows. */
export function isPlaceholder(found: { size: bigint; blocks: bigint }, platform: NodeJS.Platform): boolean {
  if (platform !== "darwin" && platform !== "win32") return false
  return found.blocks === 0n && found.size > smallestWithBlocks
}
