import { createCipheriv, createHash } from "node:crypto"
import { rc4Stream, xor } from "../passwords/rc4.ts"
import { compoundBytes } from "./compound-bytes.ts"

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

export interface AgileOptions {
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
