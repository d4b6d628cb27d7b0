import type { CompoundArchive } from "../compound/compound-archive.ts"
import { damagedCompound } from "../compound/sectors.ts"
import { unlockAgile } from "./agile.ts"
import type { Decrypt } from "./decrypt.ts"
import { encryptedUnknown, excelOwnPassword, passwordNeeded } from "./password-needed.ts"
import { unlockStandard } from "./standard.ts"

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
