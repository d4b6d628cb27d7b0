import iconv from "iconv-lite"
import { compoundBytes } from "./compound-bytes.ts"
import { encryptBlocks, type OldEncryption } from "./encrypted-office.ts"

const textStart = 0x800
const pageBytes = 512

/**
 * Creates a Word 97 document with two pieces, the first in 8-bit text and the second in UTF-16.
 * @param headings heading levels by paragraph number, among the paragraphs of the first piece
 * @param lengths number of characters of the body and of the footnotes
 * @param encryption the encryption to use, if any
 */
export function wordBytes({
  pieces: [first, second],
  headings,
  lengths,
  encryption,
}: {
  pieces: readonly [string, string]
  headings: Record<number, number>
  lengths: readonly [number, number]
  encryption?: OldEncryption
}): Buffer {
  const narrow = iconv.encode(first, "win1252")
  const wide = Buffer.from(second, "utf16le")
  const pageAt = Math.ceil((textStart + narrow.length + wide.length) / pageBytes)
  const main = Buffer.alloc((pageAt + 1) * pageBytes)
  main.writeUInt16LE(0xa5ec, 0)
  main.writeUInt16LE(0x200, 10)
  main.writeUInt32LE(lengths[0], 0x4c)
  main.writeUInt32LE(lengths[1], 0x50)
  narrow.copy(main, textStart)
  wide.copy(main, textStart + narrow.length)
  writePage(main.subarray(pageAt * pageBytes), first, headings)

  const clx = Buffer.alloc(5 + 12 + 16)
  clx.writeUInt8(2, 0)
  clx.writeUInt32LE(28, 1)
  clx.writeUInt32LE(first.length, 9)
  clx.writeUInt32LE(first.length + second.length, 13)
  clx.writeUInt32LE((textStart * 2) | 0x40000000, 19)
  clx.writeUInt32LE(textStart + narrow.length, 27)
  const pages = Buffer.alloc(12)
  pages.writeUInt32LE(textStart, 0)
  pages.writeUInt32LE(textStart + narrow.length, 4)
  pages.writeUInt32LE(pageAt, 8)
  const info = encryption?.info ?? Buffer.alloc(0)
  main.writeUInt32LE(info.length, 0x1a2)
  main.writeUInt32LE(clx.length, 0x1a6)
  main.writeUInt32LE(info.length + clx.length, 0x102)
  main.writeUInt32LE(pages.length, 0x106)
  const table = Buffer.concat([info, clx, pages])
  if (!encryption) return compoundBytes({ WordDocument: main, "1Table": table })
  main.writeUInt16LE(0x300, 10)
  main.writeUInt32LE(info.length, 14)
  return compoundBytes({
    WordDocument: encryptBlocks(main, encryption, 512, (at) => at < 68),
    "1Table": encryptBlocks(table, encryption, 512, (at) => at < info.length),
  })
}

/** Writes a formatted disk page with the style of each paragraph. */
function writePage(page: Buffer, text: string, headings: Record<number, number>): void {
  const ends = [...text.matchAll(/\r/g)].map(({ index }) => index + 1)
  page.writeUInt32LE(textStart, 0)
  for (const [index, end] of ends.entries()) {
    const at = 400 + index * 4
    page.writeUInt32LE(textStart + end, (index + 1) * 4)
    page.writeUInt8(at / 2, (ends.length + 1) * 4 + index * 13)
    page.writeUInt8(2, at)
    page.writeUInt16LE(headings[index] ?? 0, at + 1)
  }
  page.writeUInt8(ends.length, pageBytes - 1)
}
