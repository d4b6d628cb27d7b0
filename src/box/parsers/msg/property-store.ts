import iconv from "iconv-lite"
import type { CompoundArchive } from "../compound/compound-archive.ts"
import { parseFileTime } from "../document/document-properties.ts"
import { getLanguageCodePage } from "../text/text-encoding.ts"

/** Properties of messages (MS-OXPROPS) that are read. */
export const property = {
  subject: 0x0037,
  submitTime: 0x0039,
  sentByName: 0x0042,
  sentByAddress: 0x0065,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  senderSmtpAddress: 0x5d01,
  displayBcc: 0x0e02,
  displayCc: 0x0e03,
  displayTo: 0x0e04,
  deliveryTime: 0x0e06,
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  displayName: 0x3001,
  internetCodePage: 0x3fde,
  language: 0x3ff1,
  messageCodePage: 0x3ffd,
  attachData: 0x3701,
  attachFileName: 0x3704,
  attachMethod: 0x3705,
  attachLongFileName: 0x3707,
  contentId: 0x3712,
  recipientName: 0x3001,
  recipientAddress: 0x3003,
  recipientSmtpAddress: 0x39fe,
  hidden: 0x7ffe,
} as const

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
    return value === undefined ? undefined : parseFileTime(value)
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

/** Unicode and ASCII, which don't indicate the encoding of a message's 8-bit text. */
const unspecific = new Set([1200, 65_001, 20_127])

/** Returns the code page of a message's 8-bit text: its declared one, otherwise the usual one of its language. */
export function getMessageCodePage(message: PropertyStore): string {
  for (const id of [property.messageCodePage, property.internetCodePage]) {
    const number = message.number(id)
    if (number === undefined || unspecific.has(number)) continue
    const name = encodingOfCodePage(number)
    if (name) return name
  }
  return getLanguageCodePage(message.number(property.language) ?? 0)
}

const encodingNames: Record<number, string> = {
  20_866: "koi8-r",
  21_866: "koi8-u",
  50_220: "iso-2022-jp",
  51_932: "euc-jp",
  51_949: "euc-kr",
  54_936: "gb18030",
  65_001: "utf-8",
}

function encodingOfCodePage(number: number): string | undefined {
  const iso = number > 28_590 && number < 28_606 ? `iso-8859-${number - 28_590}` : undefined
  const name = encodingNames[number] ?? iso ?? `cp${number}`
  return iconv.encodingExists(name) ? name : undefined
}
