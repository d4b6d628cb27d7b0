import iconv from "iconv-lite"
import type { CompoundArchive } from "../compound/compound-archive.ts"
import { failure } from "../parser.ts"
import { BlockCipher, unlockBlocks } from "../passwords/block-keys.ts"
import { encryptedUnknown, passwordNeeded } from "../passwords/password-needed.ts"
import { getLanguageCodePage } from "../text/windows-language.ts"
import { readRuns, RunLookup } from "./formatted-pages.ts"

/** A section of text. `bytesPerCharacter` 1 is 8-bit text, 2 is UTF-16. */
export interface Piece {
  text: string
  /** Position in the main stream. */
  offset: number
  bytesPerCharacter: 1 | 2
}

export interface WordFile {
  pieces: Piece[]
  /** Number of characters in the body, footnotes, headers, macros, comments, endnotes, text boxes and the headers' text boxes. */
  lengths: number[]
  /** Paragraph and character properties. Word 6 and 95 store them in another format, which isn't read. */
  paragraphs: RunLookup | undefined
  characters: RunLookup | undefined
}

/** Used since Word 97. Word 6 and 95 use the others. */
const wordIdentifier = 0xa5ec
const oldIdentifiers = new Set([0xa5dc, 0xa697, 0xa698, 0xa699])
const encrypted = 0x100
const secondTable = 0x200
const obfuscated = 0x8000
/** Number of bytes that are never encrypted, and of bytes that share a key (MS-DOC 2.2.6). */
const plainBytes = 68
const blockBytes = 512
const fastSaved = 0x4

/** Reads the file information block and the text (MS-DOC 2.5 and 2.4.1). */
export function readWordFile(archive: CompoundArchive, password: string | undefined): WordFile {
  const main = archive.read("WordDocument")
  if (!main || main.length < 0x1aa) throw failure("word_damaged")
  const flags = main.readUInt16LE(10)
  const identifier = main.readUInt16LE(0)
  if (flags & encrypted && (flags & obfuscated || identifier !== wordIdentifier)) throw encryptedUnknown()
  if (oldIdentifiers.has(identifier)) return readOld(main, flags)
  if (identifier !== wordIdentifier) {
    throw failure("word_too_old")
  }
  const table = archive.read(flags & secondTable ? "1Table" : "0Table") ?? Buffer.alloc(0)
  if (flags & encrypted) decrypt(main, table, password)
  const part = (at: number): Buffer => {
    const start = main.readUInt32LE(at)
    return table.subarray(start, start + main.readUInt32LE(at + 4))
  }
  return {
    pieces: readPieces(part(0x1a2), main, undefined),
    lengths: lengthsAt(main, 0x4c),
    paragraphs: new RunLookup(readRuns(main, part(0x102), 13)),
    characters: new RunLookup(readRuns(main, part(0xfa), 1)),
  }
}

/** Decrypts in place. The encryption header precedes the table. */
function decrypt(main: Buffer, table: Buffer, password: string | undefined): void {
  const getKey = unlockBlocks(table.subarray(0, main.readUInt32LE(14)), password ?? "")
  if (!getKey) throw passwordNeeded(password, "encrypted_document")
  new BlockCipher(getKey, blockBytes).decrypt(main, plainBytes)
  new BlockCipher(getKey, blockBytes).decrypt(table, 0)
}

function readOld(main: Buffer, flags: number): WordFile {
  const codePage = getLanguageCodePage(main.readUInt16LE(6))
  const start = main.readUInt32LE(0x18)
  const listed = main.subarray(main.readUInt32LE(0x160), main.readUInt32LE(0x160) + main.readUInt32LE(0x164))
  const pieces = flags & fastSaved ? readPieces(listed, main, codePage) : []
  if (pieces.length === 0) {
    const text = iconv.decode(main.subarray(start, main.readUInt32LE(0x1c)), codePage)
    pieces.push({ text, offset: start, bytesPerCharacter: 1 })
  }
  return { pieces, lengths: lengthsAt(main, 0x34), paragraphs: undefined, characters: undefined }
}

function lengthsAt(main: Buffer, at: number): number[] {
  return Array.from({ length: 8 }, (_, index) => Math.max(0, main.readInt32LE(at + index * 4)))
}

/** @param codePage of 8-bit text in Word 6 and 95, which have no other text */
function readPieces(listed: Buffer, main: Buffer, codePage: string | undefined): Piece[] {
  let at = 0
  while (listed[at] === 1 && at + 3 <= listed.length) at += 3 + listed.readUInt16LE(at + 1)
  if (listed[at] !== 2 || at + 5 > listed.length) return []
  const plc = listed.subarray(at + 5, at + 5 + listed.readUInt32LE(at + 1))
  const count = Math.floor((plc.length - 4) / 12)
  const pieces: Piece[] = []
  let total = 0
  for (let index = 0; index < count; index++) {
    const length = plc.readUInt32LE(index * 4 + 4) - plc.readUInt32LE(index * 4)
    const place = plc.readUInt32LE((count + 1) * 4 + index * 8 + 2)
    const narrow = codePage !== undefined || (place & 0x40000000) !== 0
    const bytesPerCharacter = narrow ? 1 : 2
    const offset = codePage === undefined && narrow ? (place & 0x3fffffff) >>> 1 : place & 0x3fffffff
    const bytes = main.subarray(offset, offset + Math.max(0, length) * bytesPerCharacter)
    // Pieces may overlap in a damaged file and add up to many times its size.
    total += bytes.length
    if (total > 2 * main.length) break
    const text = narrow ? iconv.decode(bytes, codePage ?? "windows-1252") : bytes.toString("utf16le")
    pieces.push({ text, offset, bytesPerCharacter })
  }
  return pieces
}
