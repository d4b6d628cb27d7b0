import { WasiError } from "./errors.ts"
import type { Descriptors, OpenFile } from "./descriptors.ts"
import { unsigned } from "./file-stat.ts"
import type { GuestMemory } from "./guest-memory.ts"
import { ReadOnlyFile, WritableFile } from "./memory-files.ts"

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
