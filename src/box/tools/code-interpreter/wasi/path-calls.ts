import { openDirectory, openFile, type Descriptors } from "./descriptors.ts"
import { WasiError } from "./errors.ts"
import { setTime, writeStat } from "./file-calls.ts"
import type { GuestMemory } from "./guest-memory.ts"
import { MemoryDirectory, type MemoryNode, release, WritableFile } from "./memory-files.ts"

interface ResolvedPath {
  directory: MemoryDirectory
  /** The last name of the path; null if the path is empty or ends in `.` or `..`. */
  name: string | null
  /** The node at the path, if any. */
  node: MemoryNode | undefined
  /** Whether the path ends with a slash, so that only a directory is valid. */
  mustBeDirectory: boolean
}

/** Resolves a path from a directory, name by name. There are no links. Absolute paths and paths above the start are `ENOTCAPABLE`. */
function walk(from: MemoryDirectory, path: string): ResolvedPath {
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

const open = { create: 1, directory: 2, exclusive: 4, truncate: 8 } as const
const right = { read: 2n, write: 64n } as const
const appendFlag = 1

/** The wasi_snapshot_preview1 calls about paths. Links of any kind aren't supported. */
export function pathCalls(memory: GuestMemory, descriptors: Descriptors) {
  const find = (fd: number, pointer: number, length: number): ResolvedPath =>
    walk(descriptors.directory(fd).node, memory.path(pointer, length))

  return {
    path_open(
      fd: number,
      _flags: number,
      pointer: number,
      length: number,
      flags: number,
      rights: bigint,
      _inherited: bigint,
      fdFlags: number,
      result: number,
    ) {
      const resolved = find(fd, pointer, length)
      if (resolved.node && (flags & open.create) !== 0 && (flags & open.exclusive) !== 0)
        throw new WasiError("exist")
      if (!resolved.node && (flags & open.create) === 0) throw new WasiError("noent")
      // check the result pointer before anything is created or emptied
      memory.setU32(result, 0)
      const writable = (rights & right.write) !== 0n
      const { node: target = make(resolved, flags) } = resolved
      if (target instanceof MemoryDirectory) {
        if (writable || (flags & open.truncate) !== 0) throw new WasiError("isdir")
        return memory.setU32(result, descriptors.add(openDirectory(target)))
      }
      if ((flags & open.directory) !== 0) throw new WasiError("notdir")
      if (target.readOnly && (writable || (flags & open.truncate) !== 0)) throw new WasiError("rofs")
      const readable = (rights & right.read) !== 0n
      const number = descriptors.add(
        openFile(target, { readable, writable, appends: (fdFlags & appendFlag) !== 0 }),
      )
      if ((flags & open.truncate) !== 0 && target instanceof WritableFile) target.resize(0n)
      memory.setU32(result, number)
    },
    path_create_directory(fd: number, pointer: number, length: number) {
      const { directory, name, node } = find(fd, pointer, length)
      if (node !== undefined || name === null) throw new WasiError("exist")
      directory.makeDirectory(name)
    },
    path_filestat_get(fd: number, _flags: number, pointer: number, length: number, result: number) {
      writeStat(memory, result, present(find(fd, pointer, length)))
    },
    path_filestat_set_times(
      fd: number,
      _flags: number,
      pointer: number,
      length: number,
      _accessed: bigint,
      changed: bigint,
      flags: number,
    ) {
      setTime(present(find(fd, pointer, length)), changed, flags)
    },
    path_unlink_file(fd: number, pointer: number, length: number) {
      const found = removable(find(fd, pointer, length))
      if (found.node instanceof MemoryDirectory) throw new WasiError("isdir")
      unlink(found)
    },
    path_remove_directory(fd: number, pointer: number, length: number) {
      const found = removable(find(fd, pointer, length))
      if (!(found.node instanceof MemoryDirectory)) throw new WasiError("notdir")
      if (found.node.entries.size > 0) throw new WasiError("notempty")
      unlink(found)
    },
    path_rename(
      fd: number,
      pointer: number,
      length: number,
      newFd: number,
      newPointer: number,
      newLength: number,
    ) {
      const from = removable(find(fd, pointer, length))
      const to = find(newFd, newPointer, newLength)
      if (to.node === from.node) return
      if (to.name === null) throw new WasiError("inval")
      to.directory.requireWritable()
      const isDirectory = from.node instanceof MemoryDirectory
      if (to.directory.isWithin(from.node)) throw new WasiError("inval")
      if (to.node !== undefined) requireReplaceable(to.node, isDirectory)
      else if (to.mustBeDirectory && !isDirectory) throw new WasiError("notdir")
      const replaced = to.node === undefined ? null : removable(to)
      to.directory.add(to.name, from.node)
      from.directory.remove(from.name)
      if (replaced === null) return
      replaced.node.linked = false
      release(replaced.node)
    },
    path_link: unsupported,
    path_symlink: unsupported,
    path_readlink(fd: number, pointer: number, length: number) {
      present(find(fd, pointer, length))
      throw new WasiError("inval")
    },
  }
}

function unsupported(): never {
  throw new WasiError("notsup")
}

function present({ node }: ResolvedPath): MemoryNode {
  if (node === undefined) throw new WasiError("noent")
  return node
}

function requireReplaceable(node: MemoryNode, isSourceDirectory: boolean): void {
  const isDirectory = node instanceof MemoryDirectory
  if (isDirectory && !isSourceDirectory) throw new WasiError("isdir")
  if (!isDirectory && isSourceDirectory) throw new WasiError("notdir")
  if (isDirectory && node.entries.size > 0) throw new WasiError("notempty")
}

function make(resolved: ResolvedPath, flags: number): MemoryNode {
  if (resolved.name === null) throw new WasiError("exist")
  if ((flags & open.directory) !== 0) throw new WasiError("inval")
  if (resolved.mustBeDirectory) throw new WasiError("isdir")
  return resolved.directory.makeFile(resolved.name)
}

/** Returns the existing node, with its name, for removal. */
function removable({ directory, name, node }: ResolvedPath): {
  directory: MemoryDirectory
  name: string
  node: MemoryNode
} {
  if (name === null) throw new WasiError("inval")
  if (node === undefined) throw new WasiError("noent")
  directory.requireWritable()
  if (node.readOnly) throw new WasiError("rofs")
  return { directory, name, node }
}

function unlink({ directory, name, node }: ReturnType<typeof removable>): void {
  directory.remove(name)
  node.linked = false
  release(node)
}
