import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"

/** Below this confidence, jschardet is guessing. */
const detectionThreshold = 0.2
/** jschardet needs no more bytes than this, and its time grows with them. */
const detectionBytes = 32_768

/**
 * Returns the encoding of text without a byte order mark: UTF-8 if it is valid, otherwise the declared one, otherwise the one that its
 * bytes suggest, otherwise windows-1252. A declared UTF-8 that isn't valid is ignored.
 */
export async function detectEncoding(sample: Buffer, declared?: string): Promise<string> {
  if (isUtf8(dropCutCharacter(sample)) && !sample.includes(0x1b)) return "utf-8"
  if (declared && !/^(utf-?(8|16|32)|unicode)/i.test(declared) && canDecode(declared)) return declared
  const { detect } = await import("jschardet") // Loaded on demand: its tables take 15 MB, and few files need them.
  const { encoding, confidence } = detect(selectNonAsciiLines(sample))
  if (encoding && confidence >= detectionThreshold && canDecode(encoding)) return encoding
  return isUtf8(dropCutCharacter(sample)) ? "utf-8" : "windows-1252"
}

/** Whether all possible encodings decode these bytes alike, so that the decision can wait. */
export function isUndecided(chunk: Buffer): boolean {
  return isAscii(chunk) && !chunk.includes(0x1b)
}

/** The runtime's own decoder is faster for these, and stricter about unpaired surrogates. */
const nativeEncodings = new Set(["utf-8", "utf-16le", "utf-16be"])

export interface TextChunkDecoder {
  write(chunk: Buffer): string
  end(): string
}

/** Creates a decoder for chunks. Invalid bytes become U+FFFD. */
export function createDecoder(encoding: string): TextChunkDecoder {
  if (!nativeEncodings.has(encoding) && iconv.encodingExists(encoding)) {
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
    return false // A RangeError: the encoding's name is unknown.
  }
}

/** Removes a multi-byte character that is incomplete at the end of the sample. */
function dropCutCharacter(sample: Buffer): Buffer {
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

/**
 * Returns the lines that indicate an encoding. Plain ASCII lines don't, and many of them lower the detector's confidence; zeros make it
 * detect UTF-16.
 */
function selectNonAsciiLines(sample: Buffer): Buffer {
  const lines = sample
    .toString("latin1")
    .replaceAll("\0", "")
    .split("\n")
    .filter((line) => /[\x80-\xff]/.test(line) || line.includes("\u001b"))
  return Buffer.from(lines.join("\n").slice(0, detectionBytes), "latin1")
}
