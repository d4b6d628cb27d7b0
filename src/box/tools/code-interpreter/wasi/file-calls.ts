import { WasiError } from "./errors.ts"
import { rootDescriptor, type Descriptors } from "./descriptors.ts"
import { setTime, typeOf, unsigned, writeStat } from "./file-stat.ts"
import type { GuestMemory } from "./guest-memory.ts"
import type { MemoryDirectory, MemoryNode } from "./memory-files.ts"

const appendFlag = 1
const everyRight = 0x1fffffffn
const dirent = { size: 24 } as const

/** The wasi_snapshot_preview1 calls about the properties of an open file or directory. */
export function fileCalls(memory: GuestMemory, descriptors: Descriptors) {
  return {
    fd_close(fd: number) {
      if (fd === rootDescriptor) throw new WasiError("notsup")
      descriptors.close(fd)
    },
    fd_fdstat_get(fd: number, pointer: number) {
      const open = descriptors.get(fd)
      const stat = memory.view(pointer, 24)
      stat.setUint8(0, typeOf(open.kind === "stream" ? null : open.node))
      stat.setUint8(1, 0)
      stat.setUint16(2, open.kind === "file" && open.appends ? appendFlag : 0, true)
      stat.setUint32(4, 0)
      stat.setBigUint64(8, everyRight, true)
      stat.setBigUint64(16, everyRight, true)
    },
    fd_fdstat_set_flags(fd: number, flags: number) {
      const open = descriptors.file(fd)
      if ((flags & ~appendFlag) !== 0) throw new WasiError("notsup")
      open.appends = (flags & appendFlag) !== 0
    },
    fd_filestat_get(fd: number, pointer: number) {
      const open = descriptors.get(fd)
      writeStat(memory, pointer, open.kind === "stream" ? null : open.node)
    },
    fd_filestat_set_times(fd: number, _accessed: bigint, changed: bigint, flags: number) {
      const open = descriptors.get(fd)
      if (open.kind === "stream") throw new WasiError("badf")
      setTime(open.node, changed, flags)
    },
    fd_readdir(fd: number, pointer: number, length: number, cookie: bigint, result: number) {
      const open = descriptors.directory(fd)
      const buffer = memory.bytes(pointer, length)
      if (cookie === 0n) open.listing = listing(open.node)
      let used = 0
      const first = unsigned(cookie)
      for (let next = first; next < BigInt(open.listing.length) && used < buffer.byteLength; next++) {
        const entry = open.listing[Number(next)]
        if (entry === undefined) break
        const bytes = getDirent(entry, next + 1n)
        const part = bytes.subarray(0, buffer.byteLength - used)
        buffer.set(part, used)
        used += part.byteLength
      }
      memory.setU32(result, used)
    },
    fd_prestat_get(fd: number, pointer: number) {
      // the C library queries one descriptor after another and stops at `EBADF`
      if (fd !== rootDescriptor) throw new WasiError("badf")
      const stat = memory.view(pointer, 8)
      stat.setUint32(0, 0, true)
      stat.setUint32(4, rootName.byteLength, true)
    },
    fd_prestat_dir_name(fd: number, pointer: number, length: number) {
      if (fd !== rootDescriptor) throw new WasiError("badf")
      if (length >>> 0 < rootName.byteLength) throw new WasiError("nametoolong")
      memory.bytes(pointer, rootName.byteLength).set(rootName)
    },
  }
}

const rootName = new TextEncoder().encode("/")

const listing = (node: MemoryDirectory): [string, MemoryNode][] => [
  [".", node],
  ["..", node.parent],
  ...node.entries,
]

function getDirent([name, node]: readonly [string, MemoryNode], next: bigint): Uint8Array {
  const encoded = new TextEncoder().encode(name)
  const bytes = new Uint8Array(dirent.size + encoded.byteLength)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, next, true)
  view.setBigUint64(8, node.inode, true)
  view.setUint32(16, encoded.byteLength, true)
  view.setUint8(20, typeOf(node))
  bytes.set(encoded, dirent.size)
  return bytes
}
