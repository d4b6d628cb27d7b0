import { readSync, closeSync, fstatSync, openSync } from "node:fs"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** Size of each ggml tensor type: the number of elements in a block, and the block's bytes (ggml.h, ggml-common.h). */
const tensorTypeSizes: ReadonlyMap<number, { blockElements: number; blockBytes: number }> = new Map(
  (
    [
      ["f32", 0, 1, 4],
      ["f16", 1, 1, 2],
      ["q4_0", 2, 32, 18],
      ["q4_1", 3, 32, 20],
      ["q5_0", 6, 32, 22],
      ["q5_1", 7, 32, 24],
      ["q8_0", 8, 32, 34],
      ["q8_1", 9, 32, 36],
      ["q2_k", 10, 256, 84],
      ["q3_k", 11, 256, 110],
      ["q4_k", 12, 256, 144],
      ["q5_k", 13, 256, 176],
      ["q6_k", 14, 256, 210],
      ["q8_k", 15, 256, 292],
      ["iq2_xxs", 16, 256, 66],
      ["iq2_xs", 17, 256, 74],
      ["iq3_xxs", 18, 256, 98],
      ["iq1_s", 19, 256, 50],
      ["iq4_nl", 20, 32, 18],
      ["iq3_s", 21, 256, 110],
      ["iq2_s", 22, 256, 82],
      ["iq4_xs", 23, 256, 136],
      ["i8", 24, 1, 1],
      ["i16", 25, 1, 2],
      ["i32", 26, 1, 4],
      ["i64", 27, 1, 8],
      ["f64", 28, 1, 8],
      ["iq1_m", 29, 256, 56],
      ["bf16", 30, 1, 2],
      ["tq1_0", 34, 256, 54],
      ["tq2_0", 35, 256, 66],
      ["mxfp4", 39, 32, 17],
    ] as const
  ).map(([, id, blockElements, blockBytes]) => [id, { blockElements, blockBytes }]),
)

/** Reads little-endian values from the start of a file onwards. Reading past the end throws RangeError. */
interface FileReader {
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
function createFileReader(file: number, size: number): FileReader {
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

/** Contents of a GGUF file's header, after every length and offset in it was checked against the file's size. */
export interface GgufHeader {
  architecture: string
  /** Numbers, texts and short lists of numbers; longer lists only as their length. */
  metadata: ReadonlyMap<string, GgufValue>
  /** Total bytes of all tensors. */
  tensorBytes: number
}

export type GgufValue = number | string | boolean | number[] | { length: number }

/** Far above every real model, far below values that would overload a computer. */
const limits = {
  entries: 65_536,
  tensors: 65_536,
  name: 65_535,
  dimensions: 4,
  text: 4 << 20,
  arrayDepth: 3,
  maxListLength: 1_024,
}

/**
 * Reads and checks a GGUF header, version 2 or 3. It reads only the header, in chunks, so a hostile file can't make it use much memory or
 * time.
 *
 * @throws AppError `unavailable` if the file isn't GGUF, is truncated or contradicts itself.
 */
export function readGgufHeader(path: string): GgufHeader {
  const file = openFile(path)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new AppError("unavailable", sentence("llama.path_is_directory"))
    return parse(createFileReader(file, stats.size), stats.size)
  } catch (error) {
    if (error instanceof RangeError) throw truncated(error)
    throw error
  } finally {
    closeSync(file)
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, "r")
  } catch (cause) {
    throw new AppError("unavailable", sentence("llama.file_not_opened"), { cause })
  }
}

function truncated(cause?: unknown): AppError {
  return new AppError("unavailable", sentence("llama.file_cut_short"), { cause })
}

function damaged(what: string): AppError {
  return new AppError("unavailable", sentence("llama.file_damaged", { what }))
}

function parse(reader: FileReader, size: number): GgufHeader {
  if (size < 4 || reader.u32() !== 0x46554747) throw new AppError("unavailable", sentence("llama.not_gguf"))
  const version = reader.u32()
  if (version !== 2 && version !== 3) throw new AppError("unavailable", sentence("llama.gguf_version"))
  const tensorCount = reader.u64()
  const entryCount = reader.u64()
  if (tensorCount > limits.tensors || tensorCount === 0) throw damaged("number of tensors")
  if (entryCount > limits.entries) throw damaged("number of entries")

  const metadata = new Map<string, GgufValue>()
  for (let index = 0; index < entryCount; index++) {
    const key = reader.text(limits.name)
    metadata.set(key, readValue(reader, reader.u32(), 0))
  }
  const architecture = metadata.get("general.architecture")
  if (typeof architecture !== "string" || !/^[\w.-]{1,64}$/.test(architecture)) throw damaged("architecture")

  const tensors = Array.from({ length: tensorCount }, () => readTensor(reader))
  const alignment = metadata.get("general.alignment") ?? 32
  if (typeof alignment !== "number" || !Number.isInteger(alignment) || alignment < 8 || alignment > 1 << 20)
    throw damaged("alignment")
  const dataStart = Math.ceil(reader.position / alignment) * alignment
  for (const { offset, bytes } of tensors) {
    if (offset % alignment !== 0) throw damaged("tensor offset")
    if (dataStart + offset + bytes > size) throw truncated()
  }
  return { architecture, metadata, tensorBytes: tensors.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function readTensor(reader: FileReader): { offset: number; bytes: number } {
  reader.text(limits.name)
  const dimensions = reader.u32()
  if (dimensions > limits.dimensions) throw damaged("tensor dimensions")
  const shape = Array.from({ length: dimensions }, () => reader.u64())
  const elements = shape.reduce((product, length) => product * length, 1)
  if (!Number.isSafeInteger(elements) || elements === 0) throw damaged("tensor shape")
  const sizes = tensorTypeSizes.get(reader.u32())
  const offset = reader.u64()
  // For a type that is newer than this table, the only check is that its tensors start inside the file.
  if (sizes === undefined) return { offset, bytes: 1 }
  if ((shape[0] ?? 1) % sizes.blockElements !== 0) throw damaged("tensor shape")
  return { offset, bytes: (elements / sizes.blockElements) * sizes.blockBytes }
}

/** The GGUF specification's numeric value types of a fixed size. */
const numbers: Record<number, { bytes: number; read: (reader: FileReader) => number | boolean }> = {
  0: { bytes: 1, read: (reader) => reader.bytes(1).readUInt8() },
  1: { bytes: 1, read: (reader) => reader.bytes(1).readInt8() },
  2: { bytes: 2, read: (reader) => reader.bytes(2).readUInt16LE() },
  3: { bytes: 2, read: (reader) => reader.bytes(2).readInt16LE() },
  4: { bytes: 4, read: (reader) => reader.u32() },
  5: { bytes: 4, read: (reader) => reader.bytes(4).readInt32LE() },
  6: { bytes: 4, read: (reader) => reader.bytes(4).readFloatLE() },
  7: { bytes: 1, read: (reader) => reader.bytes(1).readUInt8() !== 0 },
  10: { bytes: 8, read: (reader) => Number(reader.bytes(8).readBigUInt64LE()) },
  11: { bytes: 8, read: (reader) => Number(reader.bytes(8).readBigInt64LE()) },
  12: { bytes: 8, read: (reader) => reader.bytes(8).readDoubleLE() },
}
const textType = 8
const arrayType = 9

function readValue(reader: FileReader, type: number, depth: number): GgufValue {
  const number = numbers[type]
  if (number !== undefined) return number.read(reader)
  if (type === textType) return reader.text(limits.text)
  if (type === arrayType && depth < limits.arrayDepth) return readArray(reader, depth)
  throw damaged("value type")
}

function readArray(reader: FileReader, depth: number): GgufValue {
  const itemType = reader.u32()
  const length = reader.u64()
  const number = numbers[itemType]
  // Every item uses at least one byte: a length beyond the rest of the file is refused before anything is read.
  if (length * (number?.bytes ?? 8) > reader.remaining) throw truncated()
  if (number !== undefined && length <= limits.maxListLength)
    return Array.from({ length }, () => Number(number.read(reader)))
  if (number !== undefined) reader.skip(length * number.bytes)
  else if (itemType === textType) for (let index = 0; index < length; index++) reader.skip(reader.u64())
  else for (let index = 0; index < length; index++) readValue(reader, itemType, depth + 1)
  return { length }
}

/** Whether a chat template of the model, or its separate template for tool calls, describes tools. */
export const describesFunctions = ({ metadata }: Pick<GgufHeader, "metadata">): boolean =>
  [...metadata].some(
    ([key, value]) =>
      key.startsWith("tokenizer.chat_template") && typeof value === "string" && /\btools\b/.test(value),
  )
