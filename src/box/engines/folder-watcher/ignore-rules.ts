import { join } from "node:path"
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
