import type { DocumentFile } from "../document/document-file.ts"
import { failure, type ParseFailure } from "../parser.ts"

/** Larger numbers mark the end of a chain, a free sector and so on (MS-CFB 2.1). */
const maxRegularSector = 0xfffffffa

export const damagedCompound = (): ParseFailure => failure("damaged_container")

/** Follows a chain of sectors in an allocation table. Throws `ParseFailure` if it doesn't end. */
export function* chain(
  table: Uint32Array,
  start: number,
  maxLength: number,
): Generator<number, void, undefined> {
  let sector = start
  for (let length = 0; sector <= maxRegularSector; length++) {
    if (length > maxLength) throw damagedCompound()
    yield sector
    sector = table[sector] ?? maxRegularSector + 1
  }
}

/** Reads sectors of a file. Adjacent sectors are read together. */
export class SectorReader {
  readonly #file: DocumentFile
  readonly #sectorBytes: number
  readonly #sectors: number

  constructor(file: DocumentFile, sectorBytes: number) {
    this.#file = file
    this.#sectorBytes = sectorBytes
    this.#sectors = Math.ceil(file.size / sectorBytes) - 1
  }

  /** Number of sectors in the file. */
  get count(): number {
    return this.#sectors
  }

  /** Reads up to `maxBytes` of these sectors; less if the file ends early. */
  read(sectors: Iterable<number>, maxBytes: number): Buffer {
    const parts: Buffer[] = []
    let bytes = 0
    let first = 0
    let length = 0
    const flush = (): void => {
      if (length === 0) return
      const part = this.readAt((first + 1) * this.#sectorBytes, length * this.#sectorBytes)
      parts.push(part)
    }
    for (const sector of sectors) {
      if (bytes >= maxBytes || sector >= this.#sectors) break
      bytes += this.#sectorBytes
      if (length > 0 && sector === first + length) length++
      else {
        flush()
        first = sector
        length = 1
      }
    }
    flush()
    const whole = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    return whole.subarray(0, maxBytes)
  }

  readAt(position: number, length: number): Buffer {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, this.#file.readSync(buffer, position))
  }
}

/** Converts bytes to the numbers of an allocation table. */
export function toAllocationTable(bytes: Buffer): Uint32Array {
  const table = new Uint32Array(bytes.length >>> 2)
  for (let index = 0; index < table.length; index++) table[index] = bytes.readUInt32LE(index * 4)
  return table
}
