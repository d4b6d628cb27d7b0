import { join } from "node:path"
import { dataDirectorySigns, isDataDirectory } from "../../core/data-directory/marker.ts"
import { isOwnName } from "../../core/files/durable-file.ts"
import { readSmallFile } from "../../core/files/small-file.ts"

/** Which files of a directory are left out. Paths are relative, with `/` between names. */
export interface IgnoreRules {
  ignores(path: string, kind: "file" | "directory"): boolean
  /** Names of files one of which is in each directory that is left out for what is in it. */
  signs: readonly string[]
  /** Whether the directory at an absolute path is left out for what is in it, with all below it. */
  leavesOut(directory: string): boolean
}

export const ignoreFileName = ".casellaignore"

/** Left out unless `.casellaignore` takes them back with `!`. */
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

/** Rules of a directory that the box made: everything in it belongs there. */
export const managedRules: IgnoreRules = {
  ignores: (path) => path.split("/").some(isOwnName),
  signs: [],
  leavesOut: () => false,
}

/**
 * Rules of a user's directory: hidden and temporary files, what its `.casellaignore` says in gitignore syntax, and data
 * directories of a box, whose secrets could be searched for.
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
    signs: dataDirectorySigns,
    leavesOut: isDataDirectory,
  }
}
