import { WasiError } from "./errors.ts"

/** Maximum vectors of one read or write, as in Linux. */
const maxVectors = 1024
/** Maximum bytes of a path, as in Linux. */
const maxPathLength = 4096

/**
 * The host's access to the program's memory. Every number comes from the program, so anything outside its memory is `EFAULT`, and nothing
 * is copied before that check.
 */
export class GuestMemory {
  readonly #memory: { readonly buffer: ArrayBuffer }

  constructor(memory: { readonly buffer: ArrayBuffer }) {
    this.#memory = memory
  }

  /** Returns a view that is valid until the program runs again. */
  bytes(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    const { buffer } = this.#memory
    const [start, size] = [pointer >>> 0, length >>> 0]
    if (start + size > buffer.byteLength) throw new WasiError("fault")
    return new Uint8Array(buffer, start, size)
  }

  /** Returns a view of a structure of this size. */
  view(pointer: number, size: number): DataView {
    const { buffer, byteOffset } = this.bytes(pointer, size)
    return new DataView(buffer, byteOffset, size)
  }

  setU32(pointer: number, value: number): void {
    this.view(pointer, 4).setUint32(0, value, true)
  }

  setU64(pointer: number, value: bigint): void {
    this.view(pointer, 8).setBigUint64(0, BigInt.asUintN(64, value), true)
  }

  /** Returns the buffers of a vectored read or write. */
  vectors(pointer: number, count: number): Uint8Array<ArrayBuffer>[] {
    const vectors = count >>> 0
    if (vectors > maxVectors) throw new WasiError("inval")
    const table = this.view(pointer, vectors * 8)
    return Array.from({ length: vectors }, (_, index) =>
      this.bytes(table.getUint32(index * 8, true), table.getUint32(index * 8 + 4, true)),
    )
  }

  path(pointer: number, length: number): string {
    if (length >>> 0 > maxPathLength) throw new WasiError("nametoolong")
    const bytes = this.bytes(pointer, length)
    if (bytes.includes(0)) throw new WasiError("inval")
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new WasiError("ilseq")
    }
  }
}
