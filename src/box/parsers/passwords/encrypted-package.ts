import { createDecipheriv, hash } from "node:crypto"
import { damagedCompound, type CompoundArchive } from "../compound/compound-archive.ts"
import { xmlSteps, type XmlAttributes } from "../xml/xml-events.ts"
import {
  encryptedUnknown,
  littleEndian,
  spin,
  readCryptoApiInfo,
  saltedHash,
  sha1,
  excelOwnPassword,
  passwordNeeded,
} from "./block-keys.ts"

/** Decrypts in place as many whole blocks as there are. */
type Decrypt = (content: Buffer) => void

/** The standard's maximum, and a hundred times what Office writes. It takes about ten seconds, and a document has a minute. */
const maxSpins = 10_000_000
const blockBytes = 16
const segmentBytes = 4096
const hashNames = new Set(["sha1", "sha256", "sha384", "sha512"])

/** Purposes of the keys that are derived from the password. */
const purposes = {
  verifierInput: Buffer.from("fea7d2763b4b9e79", "hex"),
  verifierValue: Buffer.from("d7aa0f6d3061344e", "hex"),
  key: Buffer.from("146e0be7abacd0d6", "hex"),
}

/** Opens agile encryption (MS-OFFCRYPTO 2.3.4.10 to 2.3.4.15), used since Office 2010. Returns undefined when the password is wrong. */
async function unlockAgile(info: Buffer, password: string): Promise<Decrypt | undefined> {
  const { content, key } = await readDescription(info.subarray(8))
  const spun = spin(hashed(key, key.salt, Buffer.from(password, "utf16le")), key.spins, key.hashName)
  const decrypted = (purpose: Buffer, value: Buffer) =>
    decipher(fitted(hashed(key, spun, purpose), key.keyBytes), key.salt)(value)
  const input = decrypted(purposes.verifierInput, key.verifierInput)
  const expected = hashed(key, input.subarray(0, key.salt.length))
  const verifier = decrypted(purposes.verifierValue, key.verifierValue)
  if (!verifier.subarray(0, expected.length).equals(expected)) return undefined
  const contentKey = decrypted(purposes.key, key.value).subarray(0, key.keyBytes)
  if (contentKey.length !== content.keyBytes) throw damagedCompound()
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += segmentBytes) {
      const salt = hashed(content, content.salt, littleEndian(at / segmentBytes))
      decipher(contentKey, salt)(bytes.subarray(at, at + segmentBytes)).copy(bytes, at)
    }
  }
}

interface Described {
  hashName: string
  keyBytes: number
  salt: Buffer
}

interface PasswordKey extends Described {
  spins: number
  verifierInput: Buffer
  verifierValue: Buffer
  value: Buffer
}

async function readDescription(xml: Buffer): Promise<{ content: Described; key: PasswordKey }> {
  let content: Described | undefined
  let key: PasswordKey | undefined
  const handler = {
    open(name: string, attributes: XmlAttributes) {
      if (name === "keyData") content ??= readKeyInfo(attributes)
      // Certificates may also have keys, which don't have a spin count.
      if (name === "encryptedKey" && attributes["spinCount"] !== undefined) key ??= passwordKey(attributes)
    },
  }
  async function* once() {
    yield xml
  }
  for await (const _ of xmlSteps(once(), handler));
  if (!content || !key) throw encryptedUnknown()
  return { content, key }
}

function readKeyInfo(attributes: XmlAttributes): Described {
  const hashName = (attributes["hashAlgorithm"] ?? "").replace("-", "").toLowerCase()
  const keyBits = Number(attributes["keyBits"])
  const known =
    hashNames.has(hashName) &&
    [128, 192, 256].includes(keyBits) &&
    attributes["cipherAlgorithm"] === "AES" &&
    attributes["cipherChaining"] === "ChainingModeCBC"
  if (!known) throw encryptedUnknown()
  return { hashName, keyBytes: keyBits / 8, salt: decodeBase64(attributes["saltValue"]) }
}

function passwordKey(attributes: XmlAttributes): PasswordKey {
  const spins = Number(attributes["spinCount"])
  if (!(spins >= 0 && spins <= maxSpins)) throw encryptedUnknown()
  return {
    ...readKeyInfo(attributes),
    spins,
    verifierInput: decodeBase64(attributes["encryptedVerifierHashInput"]),
    verifierValue: decodeBase64(attributes["encryptedVerifierHashValue"]),
    value: decodeBase64(attributes["encryptedKeyValue"]),
  }
}

const hashed = ({ hashName }: Described, ...parts: Buffer[]): Buffer =>
  hash(hashName, Buffer.concat(parts), "buffer")

/** Returns a function that decrypts whole blocks. The initialisation vector is derived from a salt. */
function decipher(key: Buffer, salt: Buffer): (bytes: Buffer) => Buffer {
  const algorithm = `aes-${key.length * 8}-cbc`
  return (bytes) =>
    createDecipheriv(algorithm, key, fitted(salt, blockBytes)).setAutoPadding(false).update(bytes)
}

/** Truncates or pads the bytes to the length. */
function fitted(bytes: Buffer, length: number): Buffer {
  const all = Buffer.alloc(length, 0x36)
  bytes.copy(all)
  return all
}

const decodeBase64 = (base64 = ""): Buffer => Buffer.from(base64, "base64")

const spins = 50_000
const chunkBytes = 65_536

/** Opens standard encryption (MS-OFFCRYPTO 2.3.4.5 to 2.3.4.9), used by Office 2007. Returns undefined when the password is wrong. */
function unlockStandard(info: Buffer, password: string): Decrypt | undefined {
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

const headBytes = 8
const aesFlag = 0x20

/**
 * Decrypts the document inside an Office document with a password, which Word, Excel and PowerPoint since 2007 store in a compound file
 * (MS-OFFCRYPTO 2.3.4, ECMA-376). Its integrity isn't checked; the result is trusted no more than any other document.
 *
 * Written here because officecrypto-tool 0.0.19 (MIT) accepts any number of rounds from the file when deriving the key, reads the container
 * with cfb (see `CompoundArchive`), makes several copies of the document, and depends on crypto-js, which is no longer developed.
 */
export async function decryptPackage(
  archive: CompoundArchive,
  password: string | undefined,
): Promise<Buffer> {
  const info = archive.read("EncryptionInfo") ?? Buffer.alloc(0)
  const whole = archive.read("EncryptedPackage") ?? Buffer.alloc(0)
  if (info.length < headBytes || whole.length < headBytes) throw damagedCompound()
  const decrypt = await unlockBy(info)(info, password ?? excelOwnPassword)
  if (!decrypt) throw passwordNeeded(password, "encrypted_document")
  const content = whole.subarray(headBytes)
  decrypt(content)
  return content.subarray(0, Math.min(content.length, Number(whole.readBigUInt64LE(0))))
}

type Unlock = (info: Buffer, password: string) => Promise<Decrypt | undefined> | Decrypt | undefined

function unlockBy(info: Buffer): Unlock {
  const [major, minor] = [info.readUInt16LE(0), info.readUInt16LE(2)]
  if (major === 4 && minor === 4) return unlockAgile
  if (major >= 2 && major <= 4 && minor === 2 && info.readUInt32LE(4) & aesFlag) return unlockStandard
  throw encryptedUnknown()
}
