import { hash } from "node:crypto"
import { damagedCompound } from "../compound/sectors.ts"

/** Parameters for checking a password and deriving keys with Windows' CryptoAPI (MS-OFFCRYPTO 2.3.2 and 2.3.3). */
export interface CryptoApiInfo {
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
