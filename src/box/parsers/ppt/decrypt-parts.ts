import { damagedCompound } from "../compound/sectors.ts"
import { unlockBlocks } from "../passwords/block-keys.ts"
import { encryptedUnknown, passwordNeeded } from "../passwords/password-needed.ts"
import { rc4Stream, xor } from "../passwords/rc4.ts"
import type { Records } from "./records.ts"

const headBytes = 8

/**
 * Decrypts the parts of a presentation in place, each with the key of its number (MS-PPT 2.3.7 and MS-OFFCRYPTO 2.3.5.1). Edits,
 * directories and the encryption header are never encrypted.
 */
export function decryptParts(
  records: Records,
  places: ReadonlyMap<number, number>,
  encryptionReference: number,
  password: string | undefined,
): void {
  const described = records.at(places.get(encryptionReference) ?? -1)
  if (!described) throw encryptedUnknown()
  const { bytes } = records
  const getKey = unlockBlocks(Buffer.from(bytes.subarray(described.start, described.end)), password ?? "")
  if (!getKey) throw passwordNeeded(password, "encrypted_presentation")
  let total = 0
  for (const [id, offset] of places) {
    if (id === encryptionReference || offset + headBytes > bytes.length) continue
    xor(bytes.subarray(offset, offset + headBytes), rc4Stream(getKey(id), headBytes))
    const part = bytes.subarray(offset + headBytes, records.at(offset)?.end)
    // Parts may overlap in a damaged file and add up to many times its size.
    total += part.length
    if (total > bytes.length) throw damagedCompound()
    xor(part, rc4Stream(getKey(id), headBytes + part.length).subarray(headBytes))
  }
}
