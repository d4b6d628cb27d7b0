import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import { detect } from "jschardet"

/** Below this, jschardet is guessing. */
const detectionThreshold = 0.2
/** jschardet needs no more than this, and its time grows with it. */
const detectionBytes = 32_768

const marks: readonly { encoding: string; bytes: readonly number[] }[] = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { encoding: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
]

/** The Unicode encoding that a byte order mark, or the zero bytes of UTF-16 text without one, give away. */
export function unicodeEncoding(head: Buffer): string | undefined {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))
  return mark?.encoding ?? unmarkedUtf16(head)
}

/** Western text in UTF-16 has a zero in every second byte; other scripts still have it for spaces and line ends. */
function unmarkedUtf16(head: Buffer): string | undefined {
  const sample = head.subarray(0, 4096)
  const zeros = [0, 0]
  for (let index = 0; index < sample.length; index++) {
    if (sample[index] === 0) zeros[index & 1] = (zeros[index & 1] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  if (sample.length < 4 || even + odd < sample.length / 40) return undefined
  if (odd > 20 * even) return "utf-16le"
  if (even > 20 * odd) return "utf-16be"
  return undefined
}

/**
 * The encoding of text without a byte order mark: UTF-8 if it is valid, else what the document declares, else what
 * its bytes look like, else windows-1252. A declared UTF-8 that isn't valid is ignored.
 */
export function detectEncoding(sample: Buffer, declared?: string): string {
  if (isUtf8(withoutCutCharacter(sample)) && !sample.includes(0x1b)) return "utf-8"
  if (declared && !/^(utf-?(8|16|32)|unicode)/i.test(declared) && canDecode(declared)) return declared
  const { encoding, confidence } = detect(tellingLines(sample))
  if (encoding && confidence >= detectionThreshold && canDecode(encoding)) return encoding
  return isUtf8(withoutCutCharacter(sample)) ? "utf-8" : "windows-1252"
}

/** True when every encoding in question decodes these bytes alike, so the decision can wait. */
export function isUndecided(chunk: Buffer): boolean {
  return isAscii(chunk) && !chunk.includes(0x1b)
}

export interface TextChunkDecoder {
  write(chunk: Buffer): string
  end(): string
}

/** Decodes in pieces; what is invalid becomes U+FFFD. */
export function createDecoder(encoding: string): TextChunkDecoder {
  if (iconv.encodingExists(encoding) && !/^utf-?(8|16)/i.test(encoding)) {
    const decoder = iconv.getDecoder(encoding)
    return { write: (chunk) => decoder.write(chunk), end: () => decoder.end() ?? "" }
  }
  const decoder = new TextDecoder(encoding)
  return { write: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() }
}

function canDecode(encoding: string): boolean {
  if (iconv.encodingExists(encoding)) return true
  try {
    return new TextDecoder(encoding).encoding !== ""
  } catch {
    return false // a RangeError: nobody knows this name
  }
}

/** Drops a multi-byte character that the end of the sample cuts in two. */
function withoutCutCharacter(sample: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, sample.length); back++) {
    const byte = sample[sample.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return back < length ? sample.subarray(0, sample.length - back) : sample
    }
  }
  return sample
}

/** Lines of plain ASCII say nothing about an encoding, and many of them make the detection doubt itself. */
function tellingLines(sample: Buffer): Buffer {
  const lines = sample
    .toString("latin1")
    .split("\n")
    .filter((line) => /[\x80-\xff]/.test(line) || line.includes("\u001b"))
  return Buffer.from(lines.join("\n").slice(0, detectionBytes), "latin1")
}
