import iconv from "iconv-lite"

/** Content of a winmail.dat. */
export interface TnefMessage {
  plain: string
  html: Buffer
  compressedRtf: Buffer
  attachments: { name: string; bytes: Buffer }[]
}

const signature = 0x223e9f78
const maxAttachments = 1000
const maxProperties = 10_000

/** Attributes of a message and its attachments (MS-OXTNEF 2.1.3.3). */
const attribute = {
  body: 0x0002800c,
  properties: 0x00069003,
  codePage: 0x00069007,
  attachmentStart: 0x00069002,
  attachmentTitle: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const
const property = {
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  data: 0x3701,
  longName: 0x3707,
} as const

export const isTnef = (bytes: Buffer): boolean => bytes.length > 6 && bytes.readUInt32LE(0) === signature

/** Reads a winmail.dat, in which Outlook and Exchange wrap a message and its attachments (MS-OXTNEF). Damaged data is read up to the damage. */
export function readTnef(bytes: Buffer): TnefMessage {
  const message: TnefMessage = {
    plain: "",
    html: Buffer.alloc(0),
    compressedRtf: Buffer.alloc(0),
    attachments: [],
  }
  let codePage = "windows-1252"
  for (const { id, data } of attributes(bytes)) {
    const attachment = message.attachments.at(-1)
    if (id === attribute.codePage && data.length >= 4) {
      const name = `cp${data.readUInt32LE(0)}`
      if (iconv.encodingExists(name)) codePage = name
    } else if (id === attribute.body) message.plain ||= toText(data, codePage)
    else if (id === attribute.properties) {
      const values = readProperties(data, codePage)
      message.plain = values.texts.get(property.body) ?? message.plain
      message.html = values.bytes.get(property.html) ?? Buffer.from(values.texts.get(property.html) ?? "")
      message.compressedRtf = values.bytes.get(property.compressedRtf) ?? message.compressedRtf
    } else if (id === attribute.attachmentStart) {
      if (message.attachments.length >= maxAttachments) break
      message.attachments.push({ name: "attachment", bytes: Buffer.alloc(0) })
    } else if (attachment && id === attribute.attachmentTitle) attachment.name = toText(data, codePage)
    else if (attachment && id === attribute.attachmentData) attachment.bytes = data
    else if (attachment && id === attribute.attachmentProperties) {
      const values = readProperties(data, codePage)
      attachment.name = values.texts.get(property.longName) ?? attachment.name
      // The object of an attached message starts with the identifier of its interface.
      const object = values.bytes.get(property.data)?.subarray(16)
      if (object && attachment.bytes.length === 0) attachment.bytes = object
    }
  }
  return message
}

function* attributes(bytes: Buffer): Generator<{ id: number; data: Buffer }, void, undefined> {
  let at = 6
  while (at + 11 <= bytes.length) {
    const id = bytes.readUInt32LE(at + 1)
    const end = at + 9 + bytes.readUInt32LE(at + 5)
    if (end > bytes.length) return
    yield { id, data: bytes.subarray(at + 9, end) }
    at = end + 2 // after the checksum
  }
}

interface Properties {
  texts: Map<number, string>
  bytes: Map<number, Buffer>
}

/** Sizes of values by type (MS-OXCDATA 2.11.1), padded to four bytes. Others begin with a count and their length. */
const fixedSizes: Record<number, number> = {
  0x02: 4,
  0x03: 4,
  0x04: 4,
  0x05: 8,
  0x06: 8,
  0x07: 8,
  0x0a: 4,
  0x0b: 4,
  0x14: 8,
  0x40: 8,
  0x48: 16,
}
const [text8, text16] = [0x1e, 0x1f]
const multiple = 0x1000
const padded = (length: number) => Math.ceil(length / 4) * 4

function readProperties(data: Buffer, codePage: string): Properties {
  const found: Properties = { texts: new Map(), bytes: new Map() }
  let at = 4
  try {
    for (let count = Math.min(data.readUInt32LE(0), maxProperties); count > 0; count--) {
      const type = data.readUInt16LE(at)
      const id = data.readUInt16LE(at + 2)
      at += 4
      // The name of a named property: a GUID, then a number or a text.
      if (id >= 0x8000) at += data.readUInt32LE(at + 16) === 0 ? 24 : 24 + padded(data.readUInt32LE(at + 20))
      const size = fixedSizes[type & ~multiple]
      const values = size === undefined || type & multiple ? data.readUInt32LE(at) : 1
      if (size === undefined || type & multiple) at += 4
      if (values > maxProperties) break
      for (let value = 0; value < values; value++) {
        const length = size ?? data.readUInt32LE(at)
        if (size === undefined) at += 4
        const bytes = data.subarray(at, at + length)
        if (type === text8) found.texts.set(id, toText(bytes, codePage))
        else if (type === text16) found.texts.set(id, toText(bytes, "utf-16le"))
        else if (size === undefined) found.bytes.set(id, bytes)
        at += padded(length)
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error // The data ends inside a property.
  }
  return found
}

const toText = (bytes: Buffer, codePage: string): string =>
  iconv.decode(bytes, codePage).replace(/\0[^]*$/, "")
