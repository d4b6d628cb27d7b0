import { createDecipheriv } from "node:crypto"
import { readCryptoApiInfo, saltedHash, sha1 } from "./crypto-api.ts"
import type { Decrypt } from "./decrypt.ts"
import { encryptedUnknown } from "./password-needed.ts"
import { littleEndian, spin } from "./spin.ts"

const spins = 50_000
const chunkBytes = 65_536

/** Opens standard encryption (MS-OFFCRYPTO 2.3.4.5 to 2.3.4.9), used by Office 2007. Returns undefined when the password is wrong. */
export function unlockStandard(info: Buffer, password: string): Decrypt | undefined {
  const described = readCryptoApiInfo(info)
  if (![16, 24, 32].includes(described.keyBytes)) throw encryptedUnknown()
  const key = getKey(spin(saltedHash(described, password), spins, "sha1"), described.keyBytes)
  const decipher = () => createDecipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false)
  const { verifier, verifierHash } = described
  const expected = sha1(decipher().update(verifier))
  if (!decipher().update(verifierHash).subarray(0, expected.length).equals(expected)) return undefined
  return (content) => {
    for (let at = 0; at < content.length; at += chunkBytes)
      decipher()
        .update(content.subarray(at, at + chunkBytes))
        .copy(content, at)
  }
}

function getKey(spun: Buffer, keyBytes: number): Buffer {
  const last = sha1(spun, littleEndian(0))
  const filled = (filler: number): Buffer => {
    const block = Buffer.alloc(64, filler)
    for (const [at, byte] of last.entries()) block[at] = byte ^ filler
    return sha1(block)
  }
  return Buffer.concat([filled(0x36), filled(0x5c)]).subarray(0, keyBytes)
}
