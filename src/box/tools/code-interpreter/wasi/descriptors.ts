import { WasiError } from "./errors.ts"
import {
  ReadOnlyFile,
  release,
  type MemoryDirectory,
  type MemoryFile,
  type MemoryNode,
} from "./memory-files.ts"

/** A stream that the program writes and the host reads, such as its output. */
export interface Sink {
  write(bytes: Uint8Array): void
}

export interface OpenFile {
  kind: "file"
  node: MemoryFile
  position: bigint
  appends: boolean
  readable: boolean
  writable: boolean
}

export interface OpenDirectory {
  kind: "directory"
  node: MemoryDirectory
  /** Directory entries at the time when reading started. */
  listing: readonly (readonly [name: string, node: MemoryNode])[]
}

export interface OpenStream {
  kind: "stream"
  sink: Sink | null
}

/** File descriptor of the program's root directory, as WASI defines it. */
export const rootDescriptor = 3
const maxOpen = 256

export type Open = OpenFile | OpenDirectory | OpenStream

/** The program's open files, by descriptor number. */
export class Descriptors {
  readonly #open = new Map<number, Open>()

  /** Opens the descriptors that the program has at its start. */
  constructor(given: ReadonlyMap<number, Open>) {
    for (const [number, open] of given) this.#put(number, open)
  }

  get(number: number): Open {
    const open = this.#open.get(number)
    if (open === undefined) throw new WasiError("badf")
    return open
  }

  file(number: number): OpenFile {
    const open = this.get(number)
    if (open.kind === "file") return open
    throw new WasiError(open.kind === "directory" ? "isdir" : "spipe")
  }

  directory(number: number): OpenDirectory {
    const open = this.get(number)
    if (open.kind !== "directory") throw new WasiError("notdir")
    return open
  }

  /** Assigns the lowest free number. */
  add(open: Open): number {
    for (let number = 0; number < maxOpen; number++) {
      if (this.#open.has(number)) continue
      this.#put(number, open)
      return number
    }
    throw new WasiError("mfile")
  }

  close(number: number): void {
    const open = this.get(number)
    this.#open.delete(number)
    if (open.kind === "stream") return
    open.node.opened--
    release(open.node)
  }

  #put(number: number, open: Open): void {
    this.#open.set(number, open)
    if (open.kind !== "stream") open.node.opened++
  }
}

export function openFile(
  node: MemoryFile,
  rights: { readable: boolean; writable: boolean; appends: boolean },
): OpenFile {
  if (node instanceof ReadOnlyFile && node.bytes === null) throw new WasiError("fbig")
  return { kind: "file", node, position: 0n, ...rights }
}

export const openDirectory = (node: MemoryDirectory): OpenDirectory => ({
  kind: "directory",
  node,
  listing: [],
})
