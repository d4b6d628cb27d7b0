import { createCipheriv, createHash } from "node:crypto"
import { CFB } from "@e965/xlsx"
import iconv from "iconv-lite"
import { rc4Stream, xor } from "../passwords/block-keys.ts"
import { atom, container, numbers, pictureRecord, pictureShape, storedPictures } from "./art-bytes.ts"

interface Writer {
  utils: {
    cfb_new(): object
    cfb_add(file: object, path: string, content: Buffer): void
    cfb_del(file: object, path: string): void
  }
  write(file: object, options: { type: "buffer" }): Buffer
}

/** Creates a compound file with these streams, by path. Uses a different library from the one under test. */
export function compoundBytes(streams: Record<string, string | Uint8Array>): Buffer {
  const { utils, write } = CFB as Writer
  const file = utils.cfb_new()
  for (const [path, content] of Object.entries(streams)) {
    utils.cfb_add(file, `/${path}`, Buffer.from(content as string))
  }
  utils.cfb_del(file, "/\u0001Sh33tJ5")
  return write(file, { type: "buffer" })
}

/** Creates an Outlook message with these attachments and nothing else. */
export function messageBytes(attachments: Record<string, Uint8Array>): Buffer {
  const storages = Object.entries(attachments).map(([name, bytes], index) => {
    const storage = `__attach_version1.0_#${String(index).padStart(8, "0")}`
    return {
      [`${storage}/__properties_version1.0`]: Buffer.alloc(8),
      [`${storage}/__substg1.0_3707001F`]: Buffer.from(name, "utf16le"),
      [`${storage}/__substg1.0_37010102`]: Buffer.from(bytes),
    }
  })
  return compoundBytes(Object.assign({ "__properties_version1.0": Buffer.alloc(32) }, ...storages))
}

const salt = Buffer.from(Array.from({ length: 16 }, (_, index) => index * 7 + 1))
const secret = Buffer.from(Array.from({ length: 16 }, (_, index) => 250 - index))
const hashed = (name: string, ...parts: Buffer[]) => createHash(name).update(Buffer.concat(parts)).digest()
const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const pair = (low: number, high: number) => Buffer.from(Uint16Array.of(low, high).buffer)
const written = (password: string) => Buffer.from(password, "utf16le")

function encrypted(algorithm: string, key: Buffer, iv: Buffer | null, content: Buffer): Buffer {
  const padded = Buffer.concat([content, Buffer.alloc((16 - (content.length % 16)) % 16)])
  return createCipheriv(algorithm, key, iv).setAutoPadding(false).update(padded)
}

const prefixLength = (length: number, content: Buffer) => Buffer.concat([number(length), number(0), content])

interface AgileOptions {
  hash?: string
  keyBits?: number
  spins?: number
  /** Written to the file instead of `spins`. */
  claimedSpins?: string
  cipher?: string
}

/** Encrypts a document as Office does since 2010. */
export function agileBytes(document: Buffer, password: string, options: AgileOptions = {}): Buffer {
  const { hash = "SHA512", keyBits = 256, spins = 100, cipher = "AES" } = options
  const algorithm = `aes-${keyBits}-cbc`
  const fitted = (bytes: Buffer, length: number) =>
    Buffer.concat([bytes, Buffer.alloc(length, 0x36)]).subarray(0, length)
  const contentKey = Buffer.alloc(keyBits / 8, 0xa5)
  let spun = hashed(hash, salt, written(password))
  for (let count = 0; count < spins; count++) spun = hashed(hash, number(count), spun)
  const wrapped = (purpose: string, value: Buffer) =>
    encrypted(
      algorithm,
      fitted(hashed(hash, spun, Buffer.from(purpose, "hex")), keyBits / 8),
      salt,
      value,
    ).toString("base64")
  const segments: Buffer[] = []
  for (let at = 0; at * 4096 < document.length; at++) {
    const iv = fitted(hashed(hash, salt, number(at)), 16)
    segments.push(encrypted(algorithm, contentKey, iv, document.subarray(at * 4096, (at + 1) * 4096)))
  }
  const common = `saltValue="${salt.toString("base64")}" keyBits="${keyBits}" hashAlgorithm="${hash}" cipherAlgorithm="${cipher}" cipherChaining="ChainingModeCBC"`
  const xml =
    `<?xml version="1.0"?><encryption><keyData ${common}/><keyEncryptors><keyEncryptor><p:encryptedKey ${common} ` +
    `spinCount="${options.claimedSpins ?? spins}" ` +
    `encryptedVerifierHashInput="${wrapped("fea7d2763b4b9e79", secret)}" ` +
    `encryptedVerifierHashValue="${wrapped("d7aa0f6d3061344e", hashed(hash, secret))}" ` +
    `encryptedKeyValue="${wrapped("146e0be7abacd0d6", contentKey)}"/></keyEncryptor></keyEncryptors></encryption>`
  return compoundBytes({
    EncryptionInfo: Buffer.concat([pair(4, 4), number(0x40), Buffer.from(xml)]),
    EncryptedPackage: prefixLength(document.length, Buffer.concat(segments)),
  })
}

/** Creates the header of CryptoAPI encryption. */
function cryptoApiInfo(algorithm: number, flags: number, keyBits: number, verifier: Buffer): Buffer {
  const header = Buffer.concat([flags, 0, algorithm, 0x8004, keyBits, 24, 0, 0].map(number))
  return Buffer.concat([pair(3, 2), number(flags), number(header.length), header, number(16), salt, verifier])
}

/** Encrypts a document as Office 2007 did. */
export function standardBytes(document: Buffer, password: string): Buffer {
  let spun = hashed("sha1", salt, written(password))
  for (let count = 0; count < 50_000; count++) spun = hashed("sha1", number(count), spun)
  const block = Buffer.alloc(64, 0x36)
  xor(block.subarray(0, 20), hashed("sha1", spun, number(0)))
  const key = hashed("sha1", block).subarray(0, 16)
  const verifier = encrypted("aes-128-ecb", key, null, secret)
  const verifierHash = encrypted("aes-128-ecb", key, null, hashed("sha1", secret))
  return compoundBytes({
    EncryptionInfo: cryptoApiInfo(0x660e, 0x24, 128, Buffer.concat([verifier, number(20), verifierHash])),
    EncryptedPackage: prefixLength(document.length, encrypted("aes-128-ecb", key, null, document)),
  })
}

/** The encryption header of Office 97 to 2003 documents, and the key of each block. */
export interface OldEncryption {
  info: Buffer
  getKey: (block: number) => Buffer
}

/** RC4 with 40 bits, as in Office 97. */
export function fortyBits(password: string): OldEncryption {
  const first = hashed("md5", written(password)).subarray(0, 5)
  const repeated = Array.from({ length: 16 }).flatMap(() => [first, salt])
  const base = hashed("md5", ...repeated).subarray(0, 5)
  const getKey = (block: number) => hashed("md5", base, number(block))
  const verifier = Buffer.concat([secret, hashed("md5", secret)])
  return { getKey, info: Buffer.concat([pair(1, 1), salt, xor(verifier, rc4Stream(getKey(0), 32))]) }
}

/** RC4 by CryptoAPI, as in Office XP and 2003. */
export function cryptoApi(password: string, keyBits = 128): OldEncryption {
  const base = hashed("sha1", salt, written(password))
  const getKey = (block: number) => {
    const key = hashed("sha1", base, number(block)).subarray(0, keyBits / 8)
    return keyBits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key
  }
  const both = xor(Buffer.concat([secret, hashed("sha1", secret)]), rc4Stream(getKey(0), 36))
  const verifier = Buffer.concat([both.subarray(0, 16), number(20), both.subarray(16)])
  return { getKey, info: cryptoApiInfo(0x6801, 4, keyBits, verifier) }
}

/** Encrypts a stream whose key changes every `blockBytes` bytes. Bytes for which `isPlain` returns true stay unchanged. */
export function encryptBlocks(
  stream: Buffer,
  { getKey }: OldEncryption,
  blockBytes: number,
  isPlain: (at: number) => boolean,
): Buffer {
  const keys: Buffer[] = []
  for (let at = 0; at < stream.length; at += blockBytes)
    keys.push(rc4Stream(getKey(at / blockBytes), blockBytes))
  const all = Buffer.concat(keys)
  return Buffer.from(stream.map((byte, at) => (isPlain(at) ? byte : byte ^ (all[at] ?? 0))))
}

const textStart = 0x800
const pageBytes = 512

/**
 * Creates a Word 97 document with two pieces, the first in 8-bit text and the second in UTF-16.
 * @param headings heading levels by paragraph number, among the paragraphs of the first piece
 * @param modifiers property modifiers by paragraph number, among the paragraphs of the first piece
 * @param characters runs of the first piece, in order: where each ends, and its property modifiers
 * @param data the stream of large properties
 * @param parts other parts of the table stream, by where the main stream stores their position
 * @param lengths number of characters of the body, the footnotes and the headers
 * @param encryption the encryption to use, if any
 */
export function wordBytes({
  pieces: [first, second],
  headings,
  lengths,
  modifiers = {},
  characters = [],
  data,
  parts = {},
  encryption,
}: {
  pieces: readonly [string, string]
  headings: Record<number, number>
  lengths: readonly [body: number, footnotes: number, headers?: number]
  modifiers?: Record<number, Buffer>
  characters?: readonly (readonly [end: number, modifiers: Buffer])[]
  data?: Buffer
  parts?: Record<number, Buffer>
  encryption?: OldEncryption
}): Buffer {
  const narrow = iconv.encode(first, "win1252")
  const wide = Buffer.from(second, "utf16le")
  const pageAt = Math.ceil((textStart + narrow.length + wide.length) / pageBytes)
  const main = Buffer.alloc((pageAt + 2) * pageBytes)
  main.writeUInt16LE(0xa5ec, 0)
  main.writeUInt16LE(0x200, 10)
  main.writeUInt32LE(lengths[0], 0x4c)
  main.writeUInt32LE(lengths[1], 0x50)
  main.writeUInt32LE(lengths[2] ?? 0, 0x54)
  narrow.copy(main, textStart)
  wide.copy(main, textStart + narrow.length)
  writePage(main.subarray(pageAt * pageBytes, (pageAt + 1) * pageBytes), first, headings, modifiers)
  writeCharacterPage(main.subarray((pageAt + 1) * pageBytes), characters)

  const clx = Buffer.alloc(5 + 12 + 16)
  clx.writeUInt8(2, 0)
  clx.writeUInt32LE(28, 1)
  clx.writeUInt32LE(first.length, 9)
  clx.writeUInt32LE(first.length + second.length, 13)
  clx.writeUInt32LE((textStart * 2) | 0x40000000, 19)
  clx.writeUInt32LE(textStart + narrow.length, 27)
  const pages = Buffer.alloc(12)
  pages.writeUInt32LE(textStart, 0)
  pages.writeUInt32LE(textStart + narrow.length, 4)
  pages.writeUInt32LE(pageAt, 8)
  const info = encryption?.info ?? Buffer.alloc(0)
  main.writeUInt32LE(info.length, 0x1a2)
  main.writeUInt32LE(clx.length, 0x1a6)
  main.writeUInt32LE(info.length + clx.length, 0x102)
  main.writeUInt32LE(pages.length, 0x106)
  const characterPages = Buffer.from(pages)
  characterPages.writeUInt32LE(pageAt + 1, 8)
  main.writeUInt32LE(info.length + clx.length + pages.length, 0xfa)
  main.writeUInt32LE(characterPages.length, 0xfe)
  let table = Buffer.concat([info, clx, pages, characterPages])
  for (const [position, part] of Object.entries(parts)) {
    main.writeUInt32LE(table.length, Number(position))
    main.writeUInt32LE(part.length, Number(position) + 4)
    table = Buffer.concat([table, part])
  }
  if (!encryption) return compoundBytes({ WordDocument: main, "1Table": table, ...(data && { Data: data }) })
  main.writeUInt16LE(0x300, 10)
  main.writeUInt32LE(info.length, 14)
  return compoundBytes({
    WordDocument: encryptBlocks(main, encryption, 512, (at) => at < 68),
    "1Table": encryptBlocks(table, encryption, 512, (at) => at < info.length),
    ...(data && { Data: encryptBlocks(data, encryption, 512, () => false) }),
  })
}

/** Writes a formatted disk page with the style and properties of each paragraph. */
function writePage(
  page: Buffer,
  text: string,
  headings: Record<number, number>,
  modifiers: Record<number, Buffer>,
): void {
  const isEnd = (character: string) => character === "\r" || character === "\u0007"
  const ends = text.split("").flatMap((character, index) => (isEnd(character) ? [index + 1] : []))
  page.writeUInt32LE(textStart, 0)
  let at = pageBytes - 2
  for (const [index, end] of ends.entries()) {
    const own = modifiers[index] ?? Buffer.alloc(0)
    const words = Math.ceil((3 + own.length) / 2)
    at -= words * 2
    page.writeUInt32LE(textStart + end, (index + 1) * 4)
    page.writeUInt8(at / 2, (ends.length + 1) * 4 + index * 13)
    page.writeUInt8(words, at)
    page.writeUInt16LE(headings[index] ?? 0, at + 1)
    own.copy(page, at + 3)
  }
  page.writeUInt8(ends.length, pageBytes - 1)
}

/** Writes a formatted disk page with the properties of each run of characters. */
function writeCharacterPage(
  page: Buffer,
  runs: readonly (readonly [end: number, modifiers: Buffer])[],
): void {
  page.writeUInt32LE(textStart, 0)
  let at = pageBytes - 2
  for (const [index, [end, own]] of runs.entries()) {
    at -= 2 * Math.ceil((1 + own.length) / 2)
    page.writeUInt32LE(textStart + end, (index + 1) * 4)
    page.writeUInt8(at / 2, (runs.length + 1) * 4 + index)
    page.writeUInt8(own.length, at)
    own.copy(page, at + 1)
  }
  page.writeUInt8(runs.length, pageBytes - 1)
}

const header = (kind: number): Buffer => atom(3999, numbers(kind))
const narrow = (text: string): Buffer => atom(4008, Buffer.from(text, "latin1"))
const wide = (text: string, type = 4000): Buffer => atom(type, Buffer.from(text, "utf16le"))
const persist = (reference: number, slideId: number): Buffer =>
  atom(1011, numbers(reference, 0, 0, slideId, 0))

/**
 * Creates a presentation that was saved twice. The second save replaced the first slide.
 * @param pictures PNG files on the first slide
 */
export function pptBytes({
  encryption,
  hidesFirst = false,
  pictures = [],
}: { encryption?: OldEncryption; hidesFirst?: boolean; pictures?: readonly Buffer[] } = {}): Buffer {
  const textBox = (...parts: Buffer[]): Buffer =>
    container(1036, [container(0xf004, [container(0xf00d, parts)])])
  const records = {
    document: container(1000, [
      container(4057, [wide("ACME", 4026)], 3),
      container(1035, [storedPictures(pictures, "apart")]),
      container(4080, [
        persist(2, 256),
        header(0),
        narrow("Welcome"),
        header(1),
        narrow("First\rSecond"),
        persist(3, 257),
      ]),
      container(4080, [persist(4, 0)], 2),
    ]),
    old: container(1006, [textBox(narrow("Old text"))]),
    first: container(1006, [
      atom(1017, numbers(0, 0, hidesFirst ? 4 << 16 : 0, 0)),
      textBox(atom(3998, numbers(0))),
      container(1036, [
        container(
          0xf002,
          pictures.map((_, index) => pictureShape(index, index + 1)),
        ),
      ]),
    ]),
    second: container(1006, [textBox(header(4), wide("In a shape, zażółć"))]),
    notes: container(1008, [atom(1009, numbers(256, 0)), textBox(wide("*")), textBox(narrow("Say hello"))]),
  }
  const parts: Buffer[] = []
  let length = 0
  const put = (record: Buffer, id?: number): number => {
    if (encryption && id !== undefined) xor(record, rc4Stream(encryption.getKey(id), record.length))
    parts.push(record)
    length += record.length
    return length - record.length
  }
  const sections = [
    put(records.document, 1),
    put(records.old, 2),
    put(records.second, 3),
    put(records.notes, 4),
    ...(encryption ? [put(container(0x2f14, [encryption.info]))] : []),
  ]
  const firstDirectory = put(atom(6002, numbers((sections.length << 20) | 1, ...sections)))
  const firstEdit = put(atom(4085, numbers(0, 0, 0, firstDirectory, 1, 5, 0)))
  const replaced = put(records.first, 2)
  const directory = put(atom(6002, numbers((1 << 20) | 2, replaced)))
  const edit = put(atom(4085, numbers(0, 0, firstEdit, directory, 1, 5, 0, ...(encryption ? [5] : []))))
  return compoundBytes({
    "PowerPoint Document": Buffer.concat(parts),
    ...(pictures.length > 0 && { Pictures: Buffer.concat(pictures.map(pictureRecord)) }),
    "Current User": numbers(0, 0, 0x14, encryption ? 0xf3d1c4df : 0xe391c05f, edit, 0),
  })
}
