import { hash } from "node:crypto"
import { readCryptoApiInfo, saltedHash, sha1 } from "./crypto-api.ts"
import { encryptedUnknown } from "./password-needed.ts"
import { rc4Stream, xor } from "./rc4.ts"
import { littleEndian } from "./spin.ts"

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
