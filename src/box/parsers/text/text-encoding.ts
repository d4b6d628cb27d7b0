import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"

/** Below this, jschardet is guessing. */
const detectionThreshold = 0.2
/** jschardet needs no more than this, and its time grows with it. */
const detectionBytes = 32_768

/**
 * The encoding of text without a byte order mark: UTF-8 if it is valid, else what the document declares, else what
 * its bytes look like, else windows-1252. A declared UTF-8 that isn't valid is ignored.
 */
export async function detectEncoding(sample: Buffer, declared?: string): Promise<string> {
  if (isUtf8(withoutCutCharacter(sample)) && !sample.includes(0x1b)) return "utf-8"
  if (declared && !/^(utf-?(8|16|32)|unicode)/i.test(declared) && canDecode(declared)) return declared
  const { detect } = await import("jschardet") // its tables take 15 MB, and few files need them
  const { encoding, confidence } = detect(tellingLines(sample))
  if (encoding && confidence >= detectionThreshold && canDecode(encoding)) return encoding
  return isUtf8(withoutCutCharacter(sample)) ? "utf-8" : "windows-1252"
}

/** True when every encoding in question decodes these bytes alike, so the decision can wait. */
export function isUndecided(chunk: Buffer): boolean {
  return isAscii(chunk) && !chunk.includes(0x1b)
}

/** Faster, and stricter about halves of surrogate pairs, in the runtime's own decoder. */
const nativeEncodings = new Set(["utf-8", "utf-16le", "utf-16be"])

export interface TextChunkDecoder {
  write(chunk: Buffer): string
  end(): string
}

/** Decodes in pieces; what is invalid becomes U+FFFD. */
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

/** Lines of plain ASCII say nothing about an encoding, and many of them make the detection doubt itself; zeros make it see UTF-16. */
function tellingLines(sample: Buffer): Buffer {
  const lines = sample
    .toString("latin1")
    .replaceAll("\0", "")
    .split("\n")
    .filter((line) => /[\x80-\xff]/.test(line) || line.includes("\u001b"))
  return Buffer.from(lines.join("\n").slice(0, detectionBytes), "latin1")
}
