import { WasiError } from "./errors.ts"
import { MemoryDirectory, type MemoryNode } from "./memory-files.ts"

export interface Place {
  directory: MemoryDirectory
  /** The last name of the path; null when it leads to a directory by `.`, `..` or nothing. */
  name: string | null
  /** What is there. */
  node: MemoryNode | undefined
  /** It ends with a slash, so only a directory will do. */
  mustBeDirectory: boolean
}

/**
 * Walks a path from a directory, name by name. There are no links, and no way above where it starts: such paths are
 * `ENOTCAPABLE`, as absolute ones are.
 */
export function walk(from: MemoryDirectory, path: string): Place {
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
