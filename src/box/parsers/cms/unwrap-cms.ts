import { failure, skipped } from "../parser.ts"
import { BerReader, damagedSignature } from "./ber.ts"
import type { BerValue } from "./ber.ts"

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
export function looksLikeCms(bytes: Buffer): boolean {
  if (bytes[0] !== sequence) return false
  const at = bytes.subarray(0, 16).indexOf(Buffer.from("06092a864886f70d0107", "hex"))
  return at >= 2 && at <= 6
}

/** Returns the document inside a signed message (RFC 5652). Throws `ParseFailure` when it is encrypted or stored elsewhere. */
export function unwrapCms(bytes: Buffer): Buffer {
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
