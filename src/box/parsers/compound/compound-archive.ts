import type { DocumentFile } from "../document/document-file.ts"
import { failure, type ParseFailure } from "../parser.ts"

const magic = Buffer.from("d0cf11e0a1b11ae1", "hex")

/** Whether a file is a compound file: a password-protected or older Office document, or an Outlook message. */
export async function isCompoundFile(file: DocumentFile): Promise<boolean> {
  const head = Buffer.alloc(magic.length)
  await file.read(head, 0)
  return head.equals(magic)
}

/** Larger numbers mark the end of a chain, a free sector and so on (MS-CFB 2.1). */
const maxRegularSector = 0xfffffffa

export const damagedCompound = (): ParseFailure => failure("damaged_container")

/** Follows a chain of sectors in an allocation table. Throws `ParseFailure` if it doesn't end. */
function* chain(table: Uint32Array, start: number, maxLength: number): Generator<number, void, undefined> {
  let sector = start
  for (let length = 0; sector <= maxRegularSector; length++) {
    if (length > maxLength) throw damagedCompound()
    yield sector
    sector = table[sector] ?? maxRegularSector + 1
  }
}

/** Reads sectors of a file. Adjacent sectors are read together. */
class SectorReader {
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
function toAllocationTable(bytes: Buffer): Uint32Array {
  const table = new Uint32Array(bytes.length >>> 2)
  for (let index = 0; index < table.length; index++) table[index] = bytes.readUInt32LE(index * 4)
  return table
}

const maxEntries = 100_000
const miniSectorBytes = 64
const entryBytes = 128
const storageType = 1
const streamType = 2
const noEntry = 0xffffffff

interface Entry {
  name: string
  type: number
  left: number
  right: number
  child: number
  start: number
  size: number
}

/**
 * The files inside a compound file (MS-CFB), by paths such as `__attach_version1.0_#00000000/__substg1.0_37010102`. Streams are read on
 * request. Damage never causes an endless loop; anything unreadable throws `ParseFailure`.
 *
 * Written here because the available packages trust the file. If a chain of sectors runs in a circle, the reader of @kenjiuno/msgreader
 * 1.28.0 (Apache-2.0) never finishes or ends its process; SheetJS' cfb 1.2.2 (Apache-2.0) and the reader of word-extractor 1.0.4 (MIT)
 * throw a TypeError if it is the directory's chain. cfb also loads the whole file into memory, with a copy of each stream.
 */
export class CompoundArchive {
  readonly #sectors: SectorReader
  readonly #fat: Uint32Array
  readonly #miniFat: Uint32Array
  readonly #miniStream: Buffer
  readonly #miniCutoff: number
  readonly #streams = new Map<string, Entry>()

  constructor(file: DocumentFile) {
    const header = new SectorReader(file, 512).readAt(0, 512)
    if (header.length < 512) throw damagedCompound()
    const sectorBytes = header.readUInt16LE(30) === 12 ? 4096 : 512
    this.#sectors = new SectorReader(file, sectorBytes)
    this.#miniCutoff = header.readUInt32LE(56)
    this.#fat = toAllocationTable(this.#sectors.read(this.#fatSectors(header, sectorBytes), file.size))
    const directory = this.#readChain(header.readUInt32LE(48), maxEntries * entryBytes)
    const entries = readEntries(directory)
    const root = entries[0]
    if (!root) throw damagedCompound()
    this.#miniFat = toAllocationTable(this.#readChain(header.readUInt32LE(60), file.size))
    this.#miniStream = this.#readChain(root.start, Math.min(root.size, file.size))
    this.#collect(entries, root.child)
  }

  /** Paths of all streams, in directory tree order. */
  get paths(): string[] {
    return [...this.#streams.values()].map(({ name }) => name)
  }

  has(path: string): boolean {
    return this.#streams.has(path.toLowerCase())
  }

  /** Returns the content of a stream; undefined if there is no stream with this name. */
  read(path: string): Buffer | undefined {
    const entry = this.#streams.get(path.toLowerCase())
    if (!entry) return undefined
    if (entry.size >= this.#miniCutoff) return this.#readChain(entry.start, entry.size)
    const parts: Buffer[] = []
    for (const sector of chain(this.#miniFat, entry.start, Math.ceil(entry.size / miniSectorBytes))) {
      parts.push(this.#miniStream.subarray(sector * miniSectorBytes, (sector + 1) * miniSectorBytes))
    }
    return Buffer.concat(parts).subarray(0, entry.size)
  }

  #readChain(start: number, maxBytes: number): Buffer {
    return this.#sectors.read(chain(this.#fat, start, this.#sectors.count), maxBytes)
  }

  /** Returns the sectors of the allocation table. The header lists 109 of them; the others are listed in their own sectors. */
  #fatSectors(header: Buffer, sectorBytes: number): number[] {
    const found = [...toAllocationTable(header.subarray(76))]
    let next = header.readUInt32LE(68)
    for (let count = 0; next < this.#sectors.count; count++) {
      if (count > this.#sectors.count) throw damagedCompound()
      const list = toAllocationTable(this.#sectors.read([next], sectorBytes))
      found.push(...list.subarray(0, -1))
      next = list.at(-1) ?? noEntry
    }
    return found.filter((sector) => sector < this.#sectors.count)
  }

  /** Walks the name tree of one storage, then its nested storages. */
  #collect(entries: readonly Entry[], first: number): void {
    const seen = new Set<number>()
    const waiting = [{ id: first, prefix: "" }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { id, prefix } = next
      const entry = entries[id]
      if (!entry || seen.has(id)) continue
      seen.add(id)
      const path = prefix + entry.name
      waiting.push({ id: entry.right, prefix }, { id: entry.left, prefix })
      if (entry.type === storageType) waiting.push({ id: entry.child, prefix: `${path}/` })
      else if (entry.type === streamType) this.#streams.set(path.toLowerCase(), { ...entry, name: path })
    }
  }
}

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)))
    entries.push({
      name: directory.toString("utf16le", at, at + nameBytes - 2),
      type: directory.readUInt8(at + 66),
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    })
  }
  return entries
}
