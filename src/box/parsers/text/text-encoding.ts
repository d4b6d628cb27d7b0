import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { readChunks, type DocumentFile } from "../document/document-file.ts"
import type { ParseContext } from "../parser.ts"
import type { EncodingGuess } from "./guess-encoding.ts"
import { unicodeEncoding } from "./unicode-encoding.ts"

/** Escape sequences that switch to a Japanese character set in ISO-2022-JP. */
const japaneseEscapes = ["\u001b$@", "\u001b$B"]
/** Share of damaged characters up to which text is still UTF-8. */
const maxDamagedShare = 1 / 5

/**
 * Returns the encoding of text without a byte order mark: UTF-8 if it is valid, otherwise the declared one, otherwise the one that its
 * letters suggest. A declared encoding that can't decode the text is ignored.
 */
export async function detectEncoding(sample: Buffer, declared?: string): Promise<EncodingGuess> {
  if (isAscii(sample) && japaneseEscapes.some((each) => sample.includes(each))) return certain("iso-2022-jp")
  const whole = dropCutCharacter(sample)
  if (isUtf8(whole)) return certain("utf-8")
  const encoding = declared === undefined ? undefined : getDeclared(declared)
  if (encoding && countDamaged(sample, encoding) <= 1 + sample.length / 200) return certain(encoding)
  const damaged = countDamaged(whole, "utf-8")
  const intact = whole.toString("utf8").replaceAll(/[\0-\x7f\ufffd]/g, "").length
  if (damaged <= intact * maxDamagedShare) return certain("utf-8")
  const { guessEncoding } = await import("./guess-encoding.ts") // Loaded on demand, because few files need its tables.
  return guessEncoding(sample)
}

const certain = (encoding: string): EncodingGuess => ({ encoding, isDoubtful: false })

/** Returns the encoding that browsers use for a declared name; undefined for ASCII and Unicode, which the bytes show better, and for unknown names. */
function getDeclared(name: string): string | undefined {
  if (/^(utf-?(7|8|16|32)|unicode|(us-)?ascii|ansi)/i.test(name)) return undefined
  try {
    const { encoding } = new TextDecoder(name)
    return encoding === "gbk" ? "gb18030" : encoding
  } catch {
    return iconv.encodingExists(name) ? name : undefined // A RangeError: browsers don't know the name.
  }
}

function countDamaged(bytes: Buffer, encoding: string): number {
  const decoder = createDecoder(encoding)
  return (decoder.write(bytes) + decoder.end()).split("\ufffd").length - 1
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

const chunkBytes = 256 * 1024

/**
 * Yields the decoded text of a file, chunk by chunk, without NUL characters. The encoding is determined at the first chunk that isn't plain
 * ASCII, so a file that starts in English and continues in Cyrillic is decoded correctly.
 * @param context is notified if the encoding is doubtful, or characters are damaged; says which encoding a person chose
 * @param declaration returns the encoding that the document's first bytes, read as Latin-1, declare
 */
export async function* readText(
  file: DocumentFile,
  context?: Pick<ParseContext, "note" | "readAs">,
  declaration: (head: string) => string | undefined = () => undefined,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextChunkDecoder | undefined
  let declared: string | undefined
  let first = true
  let isDamaged = false
  const removeNul = createNulRemover()
  for await (const chunk of readChunks(file, { size: chunkBytes })) {
    if (first) {
      const chosen = context?.readAs?.encoding
      const unicode = unicodeEncoding(chunk)
      if (chosen) decoder = createDecoder(chosen)
      else if (unicode) decoder = createDecoder(unicode)
      else declared = declaration(chunk.toString("latin1", 0, 4096))
      first = false
    }
    if (!decoder && !isUndecided(chunk)) {
      const { encoding, isDoubtful } = await detectEncoding(chunk, declared)
      decoder = createDecoder(encoding)
      if (isDoubtful) context?.note(reason("encoding_doubtful", { encoding }))
    }
    const text = decoder ? decoder.write(chunk) : chunk.toString("latin1")
    isDamaged ||= text.includes("\ufffd")
    yield removeNul(text)
  }
  if (decoder) yield removeNul(decoder.end())
  if (isDamaged) context?.note(reason("characters_damaged"))
}

/** Creates a function for consecutive chunks. It replaces NULs by a space between two words, and removes all others. */
function createNulRemover(): (chunk: string) => string {
  let afterWord = false // Whether the previous chunk ended in a word and NULs.
  return (chunk) => {
    if (!afterWord && !chunk.includes("\0")) return chunk
    const text = afterWord ? `\0${chunk}` : chunk
    let end = text.length
    while (end > 0 && text.charCodeAt(end - 1) === 0) end--
    const start = afterWord ? text.slice(0, end).replace(/^\0+(?=[^\s\0])/, " ") : text.slice(0, end)
    if (end > 0) afterWord = end < text.length && /\S/.test(text.charAt(end - 1))
    return start.replaceAll(/(?<=[^\s\0])\0+(?=[^\s\0])/g, " ").replaceAll("\0", "")
  }
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
