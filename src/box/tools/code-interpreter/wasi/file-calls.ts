import { type Descriptors, type OpenFile, rootDescriptor } from "./descriptors.ts"
import { WasiError } from "./errors.ts"
import type { GuestMemory } from "./guest-memory.ts"
import { MemoryDirectory, type MemoryNode, ReadOnlyFile, WritableFile } from "./memory-files.ts"

const filetype = { unknown: 0, directory: 3, regular: 4 } as const
const times = { atim: 1, atimNow: 2, mtim: 4, mtimNow: 8 } as const
const statSize = 64

/** Converts the program's 64-bit numbers to unsigned, because WebAssembly passes them as signed. */
const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value)

export function setTime(node: MemoryNode, changed: bigint, flags: number): void {
  if (node.readOnly) throw new WasiError("rofs")
  if ((flags & times.mtimNow) !== 0) node.changedAt = BigInt(Date.now()) * 1_000_000n
  else if ((flags & times.mtim) !== 0) node.changedAt = unsigned(changed)
}

/** `null` stands for a stream. */
export function writeStat(memory: GuestMemory, pointer: number, node: MemoryNode | null): void {
  const stat = memory.view(pointer, statSize)
  const changed = node?.changedAt ?? 0n
  stat.setBigUint64(0, 0n, true)
  stat.setBigUint64(8, node?.inode ?? 0n, true)
  stat.setBigUint64(16, BigInt(typeOf(node)), true)
  stat.setBigUint64(24, 1n, true)
  stat.setBigUint64(32, BigInt(node && !(node instanceof MemoryDirectory) ? node.size : 0), true)
  for (const offset of [40, 48, 56]) stat.setBigUint64(offset, changed, true)
}

function typeOf(node: MemoryNode | null): number {
  if (node === null) return filetype.unknown
  return node instanceof MemoryDirectory ? filetype.directory : filetype.regular
}

const whence = { set: 0, cur: 1, end: 2 } as const
const largestOffset = 2n ** 63n - 1n

/** The wasi_snapshot_preview1 calls that read and write the content of open files. */
export function dataCalls(memory: GuestMemory, descriptors: Descriptors) {
  function readable(fd: number): OpenFile {
    const open = descriptors.file(fd)
    if (!open.readable) throw new WasiError("badf")
    return open
  }

  function writable(fd: number): OpenFile & { node: WritableFile } {
    const open = descriptors.file(fd)
    if (!open.writable || !(open.node instanceof WritableFile)) throw new WasiError("badf")
    return open as OpenFile & { node: WritableFile }
  }

  function readAt({ node }: OpenFile, pointer: number, count: number, offset: bigint): number {
    const from = getBytes(node)
    let read = 0
    for (const into of memory.vectors(pointer, count)) {
      const start = offset + BigInt(read)
      if (start >= BigInt(from.byteLength)) break
      const part = from.subarray(Number(start), Number(start) + into.byteLength)
      into.set(part)
      read += part.byteLength
    }
    return read
  }

  function writeAt({ node }: { node: WritableFile }, pointer: number, count: number, offset: bigint): number {
    let written = 0
    for (const bytes of memory.vectors(pointer, count)) {
      node.write(bytes, offset + BigInt(written))
      written += bytes.byteLength
    }
    return written
  }

  return {
    fd_advise: (fd: number) => void descriptors.file(fd),
    fd_allocate(fd: number, offset: bigint, length: bigint) {
      const { node } = writable(fd)
      const end = unsigned(offset) + unsigned(length)
      if (end > BigInt(node.size)) node.resize(end)
    },
    fd_datasync: (fd: number) => void descriptors.get(fd),
    fd_sync: (fd: number) => void descriptors.get(fd),
    fd_filestat_set_size(fd: number, size: bigint) {
      writable(fd).node.resize(unsigned(size))
    },
    fd_pread(fd: number, pointer: number, count: number, offset: bigint, result: number) {
      memory.setU32(result, readAt(readable(fd), pointer, count, unsigned(offset)))
    },
    fd_pwrite(fd: number, pointer: number, count: number, offset: bigint, result: number) {
      memory.setU32(result, writeAt(writable(fd), pointer, count, unsigned(offset)))
    },
    fd_read(fd: number, pointer: number, count: number, result: number) {
      if (descriptors.get(fd).kind === "stream") throw new WasiError("badf")
      const open = readable(fd)
      const read = readAt(open, pointer, count, open.position)
      open.position += BigInt(read)
      memory.setU32(result, read)
    },
    fd_write(fd: number, pointer: number, count: number, result: number) {
      const open = descriptors.get(fd)
      if (open.kind === "stream") {
        if (open.sink === null) throw new WasiError("badf")
        const parts = memory.vectors(pointer, count)
        for (const part of parts) open.sink.write(part)
        return memory.setU32(
          result,
          parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
        )
      }
      const file = writable(fd)
      if (file.appends) file.position = BigInt(file.node.size)
      const written = writeAt(file, pointer, count, file.position)
      file.position += BigInt(written)
      memory.setU32(result, written)
    },
    fd_seek(fd: number, offset: bigint, from: number, result: number) {
      const open = descriptors.file(fd)
      const bases: Record<number, bigint> = {
        [whence.set]: 0n,
        [whence.cur]: open.position,
        [whence.end]: BigInt(open.node.size),
      }
      const base = bases[from]
      const position = (base ?? 0n) + offset
      if (base === undefined || position < 0n || position > largestOffset) throw new WasiError("inval")
      open.position = position
      memory.setU64(result, position)
    },
    fd_tell: (fd: number, result: number) => memory.setU64(result, descriptors.file(fd).position),
  }
}

function getBytes(node: OpenFile["node"]): Uint8Array {
  if (node instanceof ReadOnlyFile && node.bytes === null) throw new WasiError("fbig")
  return node.bytes ?? new Uint8Array()
}

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
