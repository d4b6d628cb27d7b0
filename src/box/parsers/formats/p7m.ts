import { readWhole } from "../document/document-file.ts"
import { failure, type ParseFailure, skipped, type Parser } from "../parser.ts"
import { looksLikeMail, readMail } from "./eml.ts"

const armour = /-----BEGIN [^-]+-----([^-]*)/
const headBytes = 8192
/** Decodes in parts of this length, because a string can't hold a large file; a multiple of four. */
const partCharacters = 2 ** 22

/** Returns the binary form of a signed file, which may be PEM, base64 or part of an email. */
function extractSignedBytes(bytes: Buffer): Buffer {
  const head = bytes.toString("latin1", 0, headBytes)
  if (/^(Content-|MIME-)/i.test(head)) {
    const blank = /\r?\n\r?\n/.exec(head)
    const body = bytes.subarray(blank ? blank.index + blank[0].length : 0)
    return /^content-transfer-encoding:\s*base64/im.test(head) ? fromBase64(body) : body
  }
  const begin = armour.exec(head)
  if (begin) {
    const start = begin.index + begin[0].indexOf("-----", 5) + 5
    const end = bytes.indexOf("-----END", start)
    return fromBase64(bytes.subarray(start, end < 0 ? bytes.length : end))
  }
  return bytes[0] !== 0x30 && /^[\w+/=\s]+$/.test(head) ? fromBase64(bytes) : bytes
}

function fromBase64(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let rest = ""
  for (let at = 0; at < bytes.length; at += partCharacters) {
    const text = rest + bytes.toString("latin1", at, at + partCharacters).replace(/[^\w+/]/g, "")
    const whole = text.length - (text.length % 4)
    parts.push(Buffer.from(text.slice(0, whole), "base64"))
    rest = text.slice(whole)
  }
  parts.push(Buffer.from(rest, "base64"))
  return Buffer.concat(parts)
}

const maxDepth = 100

const damagedSignature = (): ParseFailure => failure("signature_damaged")

/** An ASN.1 value in basic encoding (X.690). Its length may be indefinite, up to an end mark. */
interface BerValue {
  tag: number
  start: number
  /** Undefined while the length is indefinite. */
  end: number | undefined
}

/** Reads values in place without copying. Throws `ParseFailure` if they exceed the bytes. */
class BerReader {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  at(offset: number): BerValue {
    const tag = this.#byte(offset)
    let length = this.#byte(offset + 1)
    let start = offset + 2
    if ((tag & 0x1f) === 0x1f) throw damagedSignature()
    if (length === 0x80) return { tag, start, end: undefined }
    if (length > 0x80) {
      const count = length & 0x7f
      if (count > 6) throw damagedSignature()
      length = 0
      for (let index = 0; index < count; index++) length = length * 256 + this.#byte(start++)
    }
    if (start + length > this.bytes.length) throw damagedSignature()
    return { tag, start, end: start + length }
  }

  /** Yields the values inside a constructed value. */
  *within({ start, end }: BerValue): Generator<BerValue, void, undefined> {
    for (let at = start; end === undefined ? !this.#isEndMark(at) : at < end;) {
      const value = this.at(at)
      yield value
      at = this.#after(value, 0)
    }
  }

  /** Returns the content of an octet string, which may consist of nested pieces. */
  octets(value: BerValue): Buffer {
    const parts: Buffer[] = []
    this.#gather(value, parts, 0)
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  #gather(value: BerValue, parts: Buffer[], depth: number): void {
    if (depth > maxDepth) throw damagedSignature()
    const constructed = (value.tag & 0x20) !== 0
    if (!constructed && value.end !== undefined) parts.push(this.bytes.subarray(value.start, value.end))
    else for (const inner of this.within(value)) this.#gather(inner, parts, depth + 1)
  }

  /** Returns the start of the next value. */
  #after(value: BerValue, depth: number): number {
    if (value.end !== undefined) return value.end
    if (depth > maxDepth) throw damagedSignature()
    let at = value.start
    while (!this.#isEndMark(at)) at = this.#after(this.at(at), depth + 1)
    return at + 2
  }

  #isEndMark(at: number): boolean {
    return this.#byte(at) === 0 && this.#byte(at + 1) === 0
  }

  #byte(at: number): number {
    const byte = this.bytes[at]
    if (byte === undefined) throw damagedSignature()
    return byte
  }
}

const sequence = 0x30
const objectIdentifier = 0x06
const data = "2a864886f70d010701"
const signedData = "2a864886f70d010702"
/** Object ids for enveloped, encrypted, authenticated, and authenticated-enveloped data. */
const encrypted = new Set([
  "2a864886f70d010703",
  "2a864886f70d010706",
  "2a864886f70d0109100102",
  "2a864886f70d0109100117",
])

/** Whether bytes start like a CMS message. */
function looksLikeCms(bytes: Buffer): boolean {
  if (bytes[0] !== sequence) return false
  const at = bytes.subarray(0, 16).indexOf(Buffer.from("06092a864886f70d0107", "hex"))
  return at >= 2 && at <= 6
}

/** Returns the document inside a signed message (RFC 5652). Throws `ParseFailure` when it is encrypted or stored elsewhere. */
function unwrapCms(bytes: Buffer): Buffer {
  const reader = new BerReader(bytes)
  const [type, content] = getParts(reader, reader.at(0))
  if (type?.tag !== objectIdentifier || !content) throw damagedSignature()
  const kind = reader.octets(type).toString("hex")
  if (encrypted.has(kind)) {
    throw failure("encrypted_message")
  }
  const [inner] = getParts(reader, content)
  if (!inner) throw damagedSignature()
  if (kind === data) return reader.octets(inner)
  if (kind !== signedData) throw skipped("not_signed")
  // Version, digest algorithms, then the signed content.
  const signed = getParts(reader, inner)[2]
  if (!signed) throw damagedSignature()
  const enclosed = getParts(reader, signed)[1]
  const document = enclosed && getParts(reader, enclosed)[0]
  if (!document) {
    throw skipped("signature_detached")
  }
  return reader.octets(document)
}

function getParts(reader: BerReader, value: BerValue): BerValue[] {
  const parts: BerValue[] = []
  for (const part of reader.within(value)) {
    parts.push(part)
    if (parts.length === 3) break // Certificates follow.
  }
  return parts
}

const maxNesting = 5

/** Signed files (CMS, S/MIME). The signed content is read by its own type. Signatures aren't checked. */
export const p7m: Parser = {
  async *parse({ file, name }, context) {
    let document: Buffer | undefined
    let inner = name
    let signed = extractSignedBytes(await readWhole(file))
    for (let depth = 0; looksLikeCms(signed); depth++) {
      if (depth === maxNesting) throw failure("signed_too_often", { count: maxNesting })
      document = unwrapCms(signed)
      inner = inner.replace(/\.(p7m|p7s|pem)$/i, "")
      signed = extractSignedBytes(document)
    }
    if (!document) throw failure("not_signed_or_damaged")
    if (looksLikeMail(document)) yield* readMail(document, context)
    else if (document.length > 0) yield* context.embedded({ name: inner, bytes: document, whole: true })
  },
}
