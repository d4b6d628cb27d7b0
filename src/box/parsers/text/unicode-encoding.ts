const marks: readonly { encoding: string; bytes: readonly number[] }[] = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { encoding: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
]

/** Returns the Unicode encoding indicated by a byte order mark, or by the zero bytes of UTF-16 text without one. */
export function unicodeEncoding(head: Buffer): string | undefined {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))
  return mark?.encoding ?? unmarkedUtf16(head)
}

const sampleBytes = 4096
/** Highest high byte of the alphabets, from Latin to Georgian. */
const maxAlphabetByte = 0x10
/** Share of a column's bytes that are such high bytes in UTF-16 text with an alphabet. */
const minHighShare = 0.7
/** A text has letters of few alphabets, numbers of 16 bits have all high bytes. */
const maxAlphabets = 4
/** Share of characters that are East Asian or ASCII in UTF-16 text of Chinese, Japanese or Korean. */
const minEastAsianShare = 0.95
/** Share of the bytes of such text that aren't printable ASCII. Two letters of ASCII would also be an East Asian character. */
const minForeignShare = 0.25

/**
 * UTF-16 without a mark shows in the bytes at even or odd positions. With an alphabet, almost all of them are the high bytes of its letters.
 * East Asian text has zeros only in its spaces, digits and line ends, so its characters are checked.
 */
function unmarkedUtf16(head: Buffer): string | undefined {
  const sample = head.subarray(0, Math.min(sampleBytes, head.length - (head.length % 2)))
  if (sample.length < 4) return undefined
  const high = [0, 0]
  const alphabets = [new Set<number>(), new Set<number>()]
  const zeros = [0, 0]
  let foreign = 0
  for (const [index, byte] of sample.entries()) {
    const column = index & 1
    if (byte <= maxAlphabetByte) {
      high[column] = (high[column] ?? 0) + 1
      alphabets[column]?.add(byte)
    }
    if (byte === 0) zeros[column] = (zeros[column] ?? 0) + 1
    if (byte < 0x20 || byte >= 0x7f) foreign++
  }
  const [highEven = 0, highOdd = 0] = high
  const [zeroEven = 0, zeroOdd = 0] = zeros
  const half = sample.length / 2
  const hasFew = (column: number) => (alphabets[column]?.size ?? 0) <= maxAlphabets
  if (highOdd >= minHighShare * half && highEven <= highOdd / 4 && hasFew(1)) return "utf-16le"
  if (highEven >= minHighShare * half && highOdd <= highEven / 4 && hasFew(0)) return "utf-16be"
  if (foreign < minForeignShare * sample.length) return undefined
  if (zeroOdd > zeroEven && isEastAsian(sample)) return "utf-16le"
  if (zeroEven > zeroOdd && isEastAsian(Buffer.from(sample).swap16())) return "utf-16be"
  return undefined
}

/** Whether bytes are UTF-16 (little endian) with Chinese, Japanese or Korean characters, their punctuation and ASCII. */
function isEastAsian(sample: Buffer): boolean {
  const text = sample.toString("utf16le")
  const fitting = text.replaceAll(
    /[^\t\n\r\x20-\x7e\u2010-\u2027\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f]/g,
    "",
  )
  return fitting.length >= minEastAsianShare * text.length
}
