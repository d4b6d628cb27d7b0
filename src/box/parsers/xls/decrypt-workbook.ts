import { BlockCipher, unlockBlocks } from "../passwords/block-keys.ts"
import { encryptedUnknown, excelOwnPassword, passwordNeeded } from "../passwords/password-needed.ts"

const headBytes = 4
const blockBytes = 1024
const filePass = 0x2f
const endOfGlobals = 0x0a
const boundSheet = 0x85
/** A record type that readers skip. It replaces the FilePass record. */
const ignored = 0x99
/** BOF, FilePass and others are never encrypted (MS-XLS 2.2.10). */
const plain = new Set([0x809, filePass, 0xe1, 0x138, 0x194, 0x195, 0x196])
const rc4 = 1

/** Decrypts an Excel 97 to 2003 workbook in place, if it is encrypted. */
export function decryptWorkbook(workbook: Buffer, password: string | undefined): void {
  const found = findFilePass(workbook)
  if (!found) return
  if (found.length < 2 || found.readUInt16LE(0) !== rc4) throw encryptedUnknown()
  const getKey = unlockBlocks(found.subarray(2), password ?? excelOwnPassword)
  if (!getKey) throw passwordNeeded(password, "encrypted_workbook")
  const cipher = new BlockCipher(getKey, blockBytes)
  for (const { at, type, start, end } of records(workbook)) {
    if (type === filePass) workbook.writeUInt16LE(ignored, at)
    // The position of a sheet isn't encrypted.
    else if (!plain.has(type)) cipher.decrypt(workbook, type === boundSheet ? start + 4 : start, end)
  }
}

function findFilePass(workbook: Buffer): Buffer | undefined {
  for (const { type, start, end } of records(workbook)) {
    if (type === filePass) return workbook.subarray(start, end)
    if (type === endOfGlobals) return undefined
  }
  return undefined
}

function* records(
  workbook: Buffer,
): Generator<{ at: number; type: number; start: number; end: number }, void, undefined> {
  for (let at = 0; at + headBytes <= workbook.length;) {
    const start = at + headBytes
    const end = Math.min(workbook.length, start + workbook.readUInt16LE(at + 2))
    yield { at, type: workbook.readUInt16LE(at), start, end }
    at = end
  }
}
