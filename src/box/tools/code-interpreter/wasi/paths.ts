import { WasiError } from "./errors.ts"
import { MemoryDirectory, type MemoryNode } from "./memory-files.ts"

export interface ResolvedPath {
  directory: MemoryDirectory
  /** The last name of the path; null if the path is empty or ends in `.` or `..`. */
  name: string | null
  /** The node at the path, if any. */
  node: MemoryNode | undefined
  /** Whether the path ends with a slash, so that only a directory is valid. */
  mustBeDirectory: boolean
}

/** Resolves a path from a directory, name by name. There are no links. Absolute paths and paths above the start are `ENOTCAPABLE`. */
export function walk(from: MemoryDirectory, path: string): ResolvedPath {
  if (path === "") throw new WasiError("noent")
  if (path.startsWith("/")) throw new WasiError("notcapable")
  const names = path.split("/").filter((name) => name !== "" && name !== ".")
  const last = names.at(-1)
  let directory = from
  for (const [index, name] of names.entries()) {
    if (name === "..") {
      if (directory === from) throw new WasiError("notcapable")
      directory = directory.parent
      continue
    }
    if (index === names.length - 1) break
    const next = directory.get(name)
    if (next === undefined) throw new WasiError("noent")
    if (!(next instanceof MemoryDirectory)) throw new WasiError("notdir")
    directory = next
  }
  const mustBeDirectory = /(^|\/)\.?$/.test(path)
  if (last === undefined || last === "..") return { directory, name: null, node: directory, mustBeDirectory }
  const node = directory.get(last)
  if (mustBeDirectory && node && !(node instanceof MemoryDirectory)) throw new WasiError("notdir")
  return { directory, name: last, node, mustBeDirectory }
}
