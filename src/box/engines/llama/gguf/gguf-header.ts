import { closeSync, fstatSync, openSync } from "node:fs"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { createFileReader, type FileReader } from "./file-reader.ts"
import { tensorTypeSizes } from "./gguf-tensor-types.ts"

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
