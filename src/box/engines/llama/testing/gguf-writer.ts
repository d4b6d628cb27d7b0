import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"

/** Writes GGUF version 3 files, so that tests and benchmarks can build their own models. */

interface Values {
  uint32: number
  int32: number
  float32: number
  bool: boolean
  string: string
  strings: string[]
  int32s: number[]
  float32s: number[]
}

export type GgufWriterValue = { [T in keyof Values]: { type: T; value: Values[T] } }[keyof Values]

export interface GgufWriterTensor {
  name: string
  /** Innermost dimension first, as GGUF stores it. */
  shape: number[]
  type: "f32" | "f16" | "q8_0"
  /** The tensor's bytes in file order; called once, while writing. */
  data: () => Uint8Array
}

const tensorTypes = {
  f32: { id: 0, blockElements: 1, blockBytes: 4 },
  f16: { id: 1, blockElements: 1, blockBytes: 2 },
  q8_0: { id: 8, blockElements: 32, blockBytes: 34 },
} as const

const alignment = 32

/** Returns the number of bytes that a tensor of this shape and type occupies. */
export function tensorBytes(shape: number[], type: GgufWriterTensor["type"]): number {
  const { blockElements, blockBytes } = tensorTypes[type]
  return (shape.reduce((product, size) => product * size, 1) / blockElements) * blockBytes
}

/** Writes the file under a temporary name and renames it, so that readers never see a partial model. */
export function writeGguf(
  path: string,
  metadata: Record<string, GgufWriterValue>,
  tensors: GgufWriterTensor[],
): void {
  const partial = `${path}.${process.pid}.part`
  const file = openSync(partial, "w")
  try {
    const header = encodeHeader(metadata, tensors)
    writeSync(file, header)
    let position = align(header.length)
    for (const tensor of tensors) {
      const bytes = tensor.data()
      const expected = tensorBytes(tensor.shape, tensor.type)
      if (bytes.length !== expected) throw new Error(`${tensor.name}: ${bytes.length} bytes, not ${expected}`)
      writeSync(file, bytes, 0, bytes.length, position)
      position += align(bytes.length)
    }
    writeSync(file, new Uint8Array(1), 0, 1, position) // padding of the last tensor
    fsyncSync(file)
    closeSync(file)
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function encodeHeader(metadata: Record<string, GgufWriterValue>, tensors: GgufWriterTensor[]): Buffer {
  const entries = Object.entries(metadata)
  const parts: Buffer[] = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(entries.length)]
  for (const [key, value] of entries) parts.push(string(key), ...encodeValue(value))
  let offset = 0
  for (const { name, shape, type } of tensors) {
    parts.push(string(name), u32(shape.length), ...shape.map(u64), u32(tensorTypes[type].id), u64(offset))
    offset += align(tensorBytes(shape, type))
  }
  return Buffer.concat(parts)
}

const valueTypes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

const encoders: { [T in keyof Values]: (value: Values[T]) => Buffer[] } = {
  uint32: (value) => [u32(valueTypes.uint32), u32(value)],
  int32: (value) => [u32(valueTypes.int32), i32(value)],
  float32: (value) => [u32(valueTypes.float32), f32(value)],
  bool: (value) => [u32(valueTypes.bool), Buffer.from([value ? 1 : 0])],
  string: (value) => [u32(valueTypes.string), string(value)],
  strings: (values) => [
    u32(valueTypes.array),
    u32(valueTypes.string),
    u64(values.length),
    ...values.map(string),
  ],
  int32s: (values) => [u32(valueTypes.array), u32(valueTypes.int32), u64(values.length), ...values.map(i32)],
  float32s: (values) => [
    u32(valueTypes.array),
    u32(valueTypes.float32),
    u64(values.length),
    ...values.map(f32),
  ],
}

function encodeValue<T extends keyof Values>(entry: { type: T; value: Values[T] }): Buffer[] {
  return encoders[entry.type](entry.value)
}

function align(size: number): number {
  return Math.ceil(size / alignment) * alignment
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}
