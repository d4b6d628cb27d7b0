import { hash } from "node:crypto"
import { damagedCompound } from "../compound/compound-archive.ts"
import { failure, type ParseFailure } from "../parser.ts"

/** Returns the key stream of RC4, which Node's and Electron's crypto libraries no longer support. */
export function rc4Stream(key: Uint8Array, length: number): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const at = (index: number): number => state[index & 255] ?? 0
  const swap = (a: number, b: number): void => {
    const kept = at(a)
    state[a] = at(b)
    state[b] = kept
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  const stream = Buffer.alloc(length)
  for (let index = 0, i = 0, j = 0; index < length; index++) {
    i = (i + 1) & 255
    j = (j + at(i)) & 255
    swap(i, j)
    stream[index] = at(at(i) + at(j))
  }
  return stream
}

/** Encrypts or decrypts in place. */
export function xor(bytes: Buffer, stream: Uint8Array): Buffer {
  for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) ^ (stream[at] ?? 0)
  return bytes
}

/** Excel opens workbooks with this password without asking. Their structure is protected, not their content. */
export const excelOwnPassword = "VelvetSweatshop"

/** The failure for a document that didn't open with this password, or without one. */
export const passwordNeeded = (
  password: string | undefined,
  code: "encrypted_document" | "encrypted_presentation" | "encrypted_workbook",
): ParseFailure => failure(password === undefined ? code : "password_wrong")

/** The failure for encryption that isn't supported or is weaker than any password. */
export const encryptedUnknown = (): ParseFailure => failure("encrypted_unknown")

/** Hashes repeatedly, each time with the number of the round, so that guessing passwords is slow (MS-OFFCRYPTO 2.3.4.7 and 2.3.4.11). */
export function spin(first: Buffer, times: number, hashName: string): Buffer {
  let spun = first
  const turn = Buffer.alloc(4 + first.length)
  for (let count = 0; count < times; count++) {
    turn.writeUInt32LE(count)
    spun.copy(turn, 4)
    spun = hash(hashName, turn, "buffer")
  }
  return spun
}

/** Returns a number as four little-endian bytes, for hashing. */
export function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Parameters for checking a password and deriving keys with Windows' CryptoAPI (MS-OFFCRYPTO 2.3.2 and 2.3.3). */
interface CryptoApiInfo {
  algorithm: number
  keyBytes: number
  salt: Buffer
  verifier: Buffer
  verifierHash: Buffer
}

const versionAndFlagsBytes = 8

export function readCryptoApiInfo(info: Buffer): CryptoApiInfo {
  const header = versionAndFlagsBytes + 4
  const verifier = header + (info.length >= header ? info.readUInt32LE(versionAndFlagsBytes) : 0)
  if (info.length < verifier + 60 || verifier < header + 32) throw damagedCompound()
  const keyBits = info.readUInt32LE(header + 16)
  return {
    algorithm: info.readUInt32LE(header + 8),
    // 0 means 40 bits, as in the first versions.
    keyBytes: keyBits === 0 ? 5 : keyBits / 8,
    salt: info.subarray(verifier + 4, verifier + 20),
    verifier: info.subarray(verifier + 20, verifier + 36),
    verifierHash: info.subarray(verifier + 40, verifier + 72),
  }
}

/** Returns the base for keys: SHA-1 of salt and password. */
export const saltedHash = ({ salt }: CryptoApiInfo, password: string): Buffer =>
  sha1(salt, Buffer.from(password, "utf16le"))

export const sha1 = (...parts: Buffer[]): Buffer => hash("sha1", Buffer.concat(parts), "buffer")

/** Returns the key of a block. Office 97 to 2003 encrypts each block of a document with its own RC4 key. */
export type BlockKey = (block: number) => Buffer

const rc4Algorithm = 0x6801

/**
 * Returns keys according to a document's encryption header (MS-OFFCRYPTO 2.3.5 and 2.3.6), or undefined when the password is wrong. The
 * older XOR obfuscation isn't supported.
 */
export function unlockBlocks(info: Buffer, password: string): BlockKey | undefined {
  if (info.length < 4) throw encryptedUnknown()
  const [major, minor] = [info.readUInt16LE(0), info.readUInt16LE(2)]
  if (major === 1 && minor === 1 && info.length >= 52) return unlockFortyBits(info, password)
  if (major >= 2 && major <= 4 && minor === 2) return unlockCryptoApi(info, password)
  throw encryptedUnknown()
}

function unlockFortyBits(info: Buffer, password: string): BlockKey | undefined {
  const salt = info.subarray(4, 20)
  const first = md5(Buffer.from(password, "utf16le")).subarray(0, 5)
  const base = md5(Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([first, salt])))).subarray(
    0,
    5,
  )
  const getKey: BlockKey = (block) => md5(Buffer.concat([base, littleEndian(block)]))
  return isRightKey(getKey, info.subarray(20, 36), info.subarray(36, 52), md5)
}

function unlockCryptoApi(info: Buffer, password: string): BlockKey | undefined {
  const described = readCryptoApiInfo(info)
  const { algorithm, keyBytes, verifier, verifierHash } = described
  if (algorithm !== rc4Algorithm || !(keyBytes >= 5 && keyBytes <= 16)) throw encryptedUnknown()
  const base = saltedHash(described, password)
  const getKey: BlockKey = (block) => {
    const key = sha1(base, littleEndian(block)).subarray(0, keyBytes)
    return keyBytes === 5 ? Buffer.concat([key, Buffer.alloc(11)]) : key
  }
  return isRightKey(getKey, verifier, verifierHash.subarray(0, 20), sha1)
}

function isRightKey(
  getKey: BlockKey,
  verifier: Buffer,
  verifierHash: Buffer,
  hashed: (bytes: Buffer) => Buffer,
): BlockKey | undefined {
  const both = Buffer.concat([verifier, verifierHash])
  xor(both, rc4Stream(getKey(0), both.length))
  const expected = hashed(both.subarray(0, verifier.length))
  return both.subarray(verifier.length).equals(expected) ? getKey : undefined
}

/** Decrypts parts of a stream, from start to end. Its key changes after a fixed number of bytes. */
export class BlockCipher {
  readonly #getKey: BlockKey
  readonly #blockBytes: number
  #block = -1
  #stream: Uint8Array = Buffer.alloc(0)

  constructor(getKey: BlockKey, blockBytes: number) {
    this.#getKey = getKey
    this.#blockBytes = blockBytes
  }

  /** Decrypts in place from `start` to before `end`. */
  decrypt(bytes: Buffer, start: number, end = bytes.length): void {
    for (let at = start; at < end;) {
      const block = Math.floor(at / this.#blockBytes)
      if (block !== this.#block) {
        this.#block = block
        this.#stream = rc4Stream(this.#getKey(block), this.#blockBytes)
      }
      const next = Math.min(end, (block + 1) * this.#blockBytes)
      xor(bytes.subarray(at, next), this.#stream.subarray(at - block * this.#blockBytes))
      at = next
    }
  }
}

const md5 = (bytes: Buffer): Buffer => hash("md5", bytes, "buffer")
