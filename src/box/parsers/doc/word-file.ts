import iconv from "iconv-lite"
import type { CompoundArchive } from "../compound/compound-archive.ts"
import { findPictureShapes, StoredPictures } from "../office-art/art-pictures.ts"
import { ArtRecords } from "../office-art/art-records.ts"
import { failure } from "../parser.ts"
import { BlockCipher, unlockBlocks, encryptedUnknown, passwordNeeded } from "../passwords/block-keys.ts"
import { getLanguageCodePage } from "../text/text-encoding.ts"
import { readWordLists, type WordLists } from "./word-lists.ts"
import { readWordStyles, type WordStyles } from "./word-style-sheet.ts"

/** Properties of a range of bytes of the main stream. */
interface Run {
  start: number
  end: number
  /** Property modifiers (MS-DOC 2.2.5); for paragraphs, preceded by the style's number. */
  properties: Buffer
}

const pageBytes = 512
const maxRuns = 5_000_000

/**
 * Reads the runs of formatted disk pages (MS-DOC 2.9.33 and 2.9.175), in file order.
 * @param table bytes of the PlcBte that lists the pages
 * @param entryBytes 13 for paragraphs, 1 for characters
 */
function readRuns(main: Buffer, table: Buffer, entryBytes: 1 | 13): Run[] {
  const runs: Run[] = []
  const pages = Math.floor((table.length - 4) / 8)
  for (let page = 0; page < pages && runs.length < maxRuns; page++) {
    const at = (table.readUInt32LE((pages + 1 + page) * 4) & 0x3fffff) * pageBytes
    if (at + pageBytes > main.length) continue
    const bytes = main.subarray(at, at + pageBytes)
    const count = bytes.readUInt8(pageBytes - 1)
    if ((count + 1) * 4 + count * entryBytes > pageBytes) continue
    for (let run = 0; run < count; run++) {
      runs.push({
        start: bytes.readUInt32LE(run * 4),
        end: bytes.readUInt32LE(run * 4 + 4),
        properties: propertiesAt(bytes, bytes.readUInt8((count + 1) * 4 + run * entryBytes) * 2, entryBytes),
      })
    }
  }
  return runs.toSorted((a, b) => a.start - b.start)
}

function propertiesAt(page: Buffer, at: number, entryBytes: 1 | 13): Buffer {
  if (at === 0) return page.subarray(0, 0)
  const count = page.readUInt8(at)
  if (entryBytes === 1) return page.subarray(at + 1, at + 1 + count)
  if (count !== 0) return page.subarray(at + 1, at + 2 * count)
  return page.subarray(at + 2, at + 2 + 2 * page.readUInt8(Math.min(at + 1, pageBytes - 1)))
}

/** Finds the run that contains a position. Positions may be requested in any order. */
class RunLookup {
  readonly #runs: readonly Run[]

  constructor(runs: readonly Run[]) {
    this.#runs = runs
  }

  at(position: number): Run | undefined {
    let low = 0
    let high = this.#runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#runs[middle]?.start ?? 0) <= position) low = middle
      else high = middle - 1
    }
    const run = this.#runs[low]
    return run && run.start <= position && position < run.end ? run : undefined
  }
}

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
  styles: WordStyles
  lists: WordLists
  /** Returns the stream with the values of form fields, large properties and pictures. */
  getData(): Buffer
  /** Returns the pictures of shapes, which Word 6 and 95 store in another format. */
  getDrawings(): Drawings | undefined
}

/** The pictures of shapes that aren't part of a line. */
export interface Drawings {
  stored: StoredPictures
  /** Number of the picture of a shape in the body, by the position of its character. */
  pictures: ReadonlyMap<number, number>
}

const shapePositionBytes = 26
const maxShapes = 10_000

/**
 * Reads which pictures shapes show, and the positions of the shapes (MS-DOC 2.9.172 and 2.8.37).
 *
 * @param main the stream that also contains the pictures
 */
function readDrawings(main: Buffer, drawings: Buffer, positions: Buffer): Drawings | undefined {
  const records = new ArtRecords(drawings)
  const group = records.at(0)
  if (!group) return undefined
  const shown = new Map<number, number>()
  for (let drawing = records.at(group.end + 1); drawing; drawing = records.at(drawing.end + 1))
    for (const { id, picture } of findPictureShapes(records, drawing)) shown.set(id, picture)
  const pictures = new Map<number, number>()
  const count = Math.min(Math.floor((positions.length - 4) / (4 + shapePositionBytes)), maxShapes)
  for (let index = 0; index < count; index++) {
    const picture = shown.get(positions.readUInt32LE((count + 1) * 4 + index * shapePositionBytes))
    if (picture !== undefined) pictures.set(positions.readUInt32LE(index * 4), picture)
  }
  return { stored: new StoredPictures(records, group, main), pictures }
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
  const cipher = flags & encrypted ? decrypt(main, table, password) : undefined
  // In a damaged file, the block can be shorter than the positions that it should list.
  const positionAt = (at: number) => (at + 4 <= main.length ? main.readUInt32LE(at) : 0)
  const part = (at: number) =>
    table.subarray(positionAt(at), positionAt(at) + (at + 8 <= main.length ? main.readUInt32LE(at + 4) : 0))
  let data: Buffer | undefined
  return {
    pieces: readPieces(part(0x1a2), main, undefined),
    lengths: lengthsAt(main, 0x4c),
    paragraphs: new RunLookup(readRuns(main, part(0x102), 13)),
    characters: new RunLookup(readRuns(main, part(0xfa), 1)),
    styles: readWordStyles(part(0xa2)),
    lists: readWordLists(table, { lists: positionAt(0x2e2), overrides: part(0x2ea) }),
    getData: () => (data ??= readData(archive, cipher)),
    getDrawings: () => readDrawings(main, part(0x22a), part(0x1da)),
  }
}

/** Decrypts in place, and returns the cipher for other streams. The encryption header precedes the table. */
function decrypt(main: Buffer, table: Buffer, password: string | undefined): BlockCipher {
  const getKey = unlockBlocks(table.subarray(0, main.readUInt32LE(14)), password ?? "")
  if (!getKey) throw passwordNeeded(password, "encrypted_document")
  new BlockCipher(getKey, blockBytes).decrypt(main, plainBytes)
  const cipher = new BlockCipher(getKey, blockBytes)
  cipher.decrypt(table, 0)
  return cipher
}

function readData(archive: CompoundArchive, cipher: BlockCipher | undefined): Buffer {
  const data = archive.read("Data") ?? Buffer.alloc(0)
  cipher?.decrypt(data, 0)
  return data
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
  const none = Buffer.alloc(0)
  return {
    pieces,
    lengths: lengthsAt(main, 0x34),
    paragraphs: undefined,
    characters: undefined,
    styles: readWordStyles(none),
    lists: readWordLists(none, { lists: 0, overrides: none }),
    getData: () => none,
    getDrawings: () => undefined,
  }
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
    const pieceOffset = plc.readUInt32LE((count + 1) * 4 + index * 8 + 2)
    const narrow = codePage !== undefined || (pieceOffset & 0x40000000) !== 0
    const bytesPerCharacter = narrow ? 1 : 2
    const offset =
      codePage === undefined && narrow ? (pieceOffset & 0x3fffffff) >>> 1 : pieceOffset & 0x3fffffff
    const bytes = main.subarray(offset, offset + Math.max(0, length) * bytesPerCharacter)
    // Pieces may overlap in a damaged file and add up to many times its size.
    total += bytes.length
    if (total > 2 * main.length) break
    const text = narrow ? iconv.decode(bytes, codePage ?? "windows-1252") : bytes.toString("utf16le")
    pieces.push({ text, offset, bytesPerCharacter })
  }
  return pieces
}
