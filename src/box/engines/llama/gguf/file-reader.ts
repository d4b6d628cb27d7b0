import { readSync } from "node:fs"

/** Reads little-endian values from the start of a file onwards. Reading past the end throws RangeError. */
export interface FileReader {
  readonly position: number
  readonly remaining: number
  u32(): number
  /** Reads an unsigned 64-bit number; throws RangeError if it exceeds JavaScript's safe integers. */
  u64(): number
  bytes(length: number): Buffer
  /** Reads a length-prefixed text of at most `limit` bytes. */
  text(limit: number): string
  skip(length: number): void
}

const windowBytes = 1 << 18

/** Creates a reader for an open file that buffers 256 KiB at a time. */
export function createFileReader(file: number, size: number): FileReader {
  const window = Buffer.alloc(Math.min(windowBytes, size))
  let windowStart = 0
  let windowEnd = 0
  let position = 0

  const bytes = (length: number): Buffer => {
    if (position + length > size) throw new RangeError("The file ends too early.")
    if (length > windowBytes) {
      const large = Buffer.alloc(length)
      if (readSync(file, large, 0, length, position) < length)
        throw new RangeError("The file ends too early.")
      position += length
      return large
    }
    if (position < windowStart || position + length > windowEnd) {
      windowStart = position
      windowEnd = position + readSync(file, window, 0, window.length, position)
      if (position + length > windowEnd) throw new RangeError("The file ends too early.")
    }
    const piece = window.subarray(position - windowStart, position - windowStart + length)
    position += length
    return piece
  }
  const u64 = (): number => {
    const value = bytes(8).readBigUInt64LE()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError("A length is impossible.")
    return Number(value)
  }
  return {
    get position() {
      return position
    },
    get remaining() {
      return size - position
    },
    u32: () => bytes(4).readUInt32LE(),
    u64,
    bytes,
    text(limit) {
      const length = u64()
      if (length > limit) throw new RangeError("A text is impossibly long.")
      return bytes(length).toString()
    },
    skip(length) {
      if (length > size - position) throw new RangeError("The file ends too early.")
      position += length
    },
  }
}
