import iconv from "iconv-lite"
import type { CompoundArchive } from "../compound/compound-archive.ts"

/** Offset of the entries in a property stream, by kind of object (MS-OXMSG 2.4). */
export const headerBytes = { message: 32, embeddedMessage: 24, recipientOrAttachment: 8 } as const

const entryBytes = 16

/** MAPI properties of a message, recipient or attachment in a .msg file (MS-OXMSG 2.1). */
export class PropertyStore {
  readonly #archive: CompoundArchive
  /** Path of the storage, ending in a slash, or empty for the file's own message. */
  readonly path: string
  readonly #fixed = new Map<number, Buffer>()

  constructor(archive: CompoundArchive, path: string, header: number) {
    this.#archive = archive
    this.path = path
    const stream = archive.read(`${path}__properties_version1.0`) ?? Buffer.alloc(0)
    for (let at = header; at + entryBytes <= stream.length; at += entryBytes) {
      this.#fixed.set(stream.readUInt16LE(at + 2), stream.subarray(at + 8, at + entryBytes))
    }
  }

  number(id: number): number | undefined {
    return this.#fixed.get(id)?.readUInt32LE(0)
  }

  flag(id: number): boolean {
    return this.#fixed.get(id)?.readUInt8(0) === 1
  }

  /** Returns a date, which is stored in units of 100 ns since 1601. */
  date(id: number): Date | undefined {
    const value = this.#fixed.get(id)?.readBigUInt64LE(0)
    if (value === undefined || value === 0n) return undefined
    const date = new Date(Number(value / 10_000n) - 11_644_473_600_000)
    return Number.isNaN(date.getTime()) ? undefined : date
  }

  bytes(id: number): Buffer | undefined {
    return this.#stream(id, "0102")
  }

  /** @param codePage of text that isn't stored as Unicode */
  text(id: number, codePage: string): string | undefined {
    const unicode = this.#stream(id, "001f")
    if (unicode) return removeTerminator(unicode.toString("utf16le"))
    const bytes = this.#stream(id, "001e")
    return bytes && removeTerminator(iconv.decode(bytes, codePage))
  }

  /** Returns one text from a list of Unicode texts. */
  item(id: number, index: number): string | undefined {
    const number = index.toString(16).padStart(8, "0")
    const bytes = this.#archive.read(`${this.path}__substg1.0_${id.toString(16)}101f-${number}`)
    return bytes && removeTerminator(bytes.toString("utf16le"))
  }

  #stream(id: number, type: string): Buffer | undefined {
    return this.#archive.read(`${this.path}__substg1.0_${id.toString(16).padStart(4, "0")}${type}`)
  }
}

function removeTerminator(text: string): string {
  return text.replace(/\0+$/, "")
}
