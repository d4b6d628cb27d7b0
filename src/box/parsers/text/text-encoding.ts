import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import { readChunks, type DocumentFile } from "../document/document-file.ts"
import { unicodeEncoding } from "./unicode-encoding.ts"

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

const chunkBytes = 256 * 1024

/**
 * Yields the decoded text of a file, chunk by chunk, without NUL characters. The encoding is determined at the first chunk that isn't plain
 * ASCII, so a file that starts in English and continues in Cyrillic is decoded correctly.
 * @param declaration returns the encoding that the document's first bytes, read as Latin-1, declare
 */
export async function* readText(
  file: DocumentFile,
  declaration: (head: string) => string | undefined = () => undefined,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextChunkDecoder | undefined
  let declared: string | undefined
  let first = true
  for await (const chunk of readChunks(file, { size: chunkBytes })) {
    if (first) {
      const unicode = unicodeEncoding(chunk)
      if (unicode) decoder = createDecoder(unicode)
      else declared = declaration(chunk.toString("latin1", 0, 4096))
      first = false
    }
    if (!decoder && !isUndecided(chunk)) decoder = createDecoder(await detectEncoding(chunk, declared))
    yield removeNul(decoder ? decoder.write(chunk) : chunk.toString("latin1"))
  }
  if (decoder) yield removeNul(decoder.end())
}

function removeNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text
}

const codePages: Record<number, string> = {
  0x0401: "windows-1256",
  0x0402: "windows-1251",
  0x0404: "cp950",
  0x0405: "windows-1250",
  0x0408: "windows-1253",
  0x040d: "windows-1255",
  0x040e: "windows-1250",
  0x0411: "cp932",
  0x0412: "cp949",
  0x0415: "windows-1250",
  0x0418: "windows-1250",
  0x0419: "windows-1251",
  0x041a: "windows-1250",
  0x041b: "windows-1250",
  0x041e: "cp874",
  0x041f: "windows-1254",
  0x0422: "windows-1251",
  0x0424: "windows-1250",
  0x0425: "windows-1257",
  0x0426: "windows-1257",
  0x0427: "windows-1257",
  0x042a: "windows-1258",
  0x0804: "cp936",
}

/** Returns the name of the code page that Windows uses for 8-bit text in this language (MS-LCID). */
export function getLanguageCodePage(languageId: number): string {
  return codePages[languageId] ?? "windows-1252"
}
