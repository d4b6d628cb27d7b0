import { isAscii, isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { readChunks, type DocumentFile } from "../document/document-file.ts"
import type { ParseContext } from "../parser.ts"
import { createDecoder, detectEncoding } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"

/** A property of a calendar (RFC 5545) or contact (vCard 2.1, 3.0 and 4.0). */
export interface ContentLine {
  /** In upper case. */
  name: string
  /** In vCards, joins properties that belong together: `item1` in `item1.TEL`. Empty without one. */
  group: string
  /** By name in upper case. Values that vCard 2.1 writes without a name are in `TYPE`. */
  parameters: ReadonlyMap<string, readonly string[]>
  /** Decoded, but still with its backslashes. */
  value: string
}

/** Maximum bytes of a property. The rest of a longer one is left out. */
const maxLineBytes = 1 << 20
/** Size of the sample from which the encoding is detected if values aren't UTF-8. */
const sampleBytes = 1 << 18

/**
 * Yields the properties of a file. Lines that aren't properties are ignored.
 *
 * @param maxBytes maximum bytes of properties with a name, if that isn't `maxLineBytes`
 */
export async function* contentLines(
  file: DocumentFile,
  context: Pick<ParseContext, "note">,
  maxBytes: ReadonlyMap<string, number> = new Map(),
): AsyncGenerator<ContentLine, void, undefined> {
  const sample = Buffer.alloc(Math.min(file.size, sampleBytes))
  await file.read(sample, 0)
  let fallback: string | undefined
  const decode = async (bytes: Buffer, charset: string | undefined): Promise<string> => {
    if (isAscii(bytes)) return bytes.toString("latin1")
    if (charset !== undefined && !/^utf-?8$/i.test(charset) && iconv.encodingExists(charset))
      return iconv.decode(bytes, charset)
    if (isUtf8(bytes)) return bytes.toString("utf8")
    if (fallback === undefined) {
      const { encoding, isDoubtful } = await detectEncoding(getLetters(sample))
      // A single letter isn't enough for a guess.
      fallback = encoding === "utf-8" ? "windows-1252" : encoding
      if (isDoubtful) context.note(reason("encoding_doubtful", { encoding }))
    }
    const decoder = createDecoder(fallback)
    return decoder.write(bytes) + decoder.end()
  }
  for await (const line of unfold(physicalLines(file, unicodeEncoding(sample)), maxBytes)) {
    const split = splitLine(line)
    if (!split) continue
    const { name, group, parameters, value } = split
    const encoding = parameters.get("ENCODING")?.[0]?.toUpperCase()
    const bytes =
      encoding === "QUOTED-PRINTABLE" ? decodeQuotedPrintable(value) : Buffer.from(value, "latin1")
    const decoded = new Map<string, string[]>()
    for (const [key, values] of parameters) {
      const texts: string[] = []
      for (const each of values)
        texts.push(decodeCarets(await decode(Buffer.from(each, "latin1"), undefined)))
      decoded.set(key, texts)
    }
    yield { name, group, parameters: decoded, value: await decode(bytes, parameters.get("CHARSET")?.[0]) }
  }
}

/** Returns the values that aren't ASCII. The names of properties would look like another language. */
function getLetters(sample: Buffer): Buffer {
  const lines = sample.toString("latin1").split(/[\r\n]+/)
  const values = lines.filter((line) => /[\x80-\xff]/.test(line)).map((line) => line.replace(/^[^:]*:/, ""))
  return Buffer.from(values.join("\n"), "latin1")
}

/** Yields lines without their breaks, as Latin-1, because a line may end inside a character. UTF-16 becomes UTF-8. */
async function* physicalLines(
  file: DocumentFile,
  unicode: string | undefined,
): AsyncGenerator<string, void, undefined> {
  const decoder = unicode !== undefined && unicode !== "utf-8" ? createDecoder(unicode) : undefined
  let rest = ""
  /** A carriage return at the end of a chunk: a line feed may follow. */
  let held = ""
  let isStart = true
  for await (const chunk of readChunks(file)) {
    let text = decoder ? Buffer.from(decoder.write(chunk)).toString("latin1") : chunk.toString("latin1")
    if (isStart) text = text.replace(/^\xef\xbb\xbf/, "")
    isStart = false
    // Only the new text is searched for breaks: a line may continue for many chunks.
    const [first = "", ...lines] = (held + text).split(/\r\n|\n|\r(?!$)/)
    const last = lines.pop()
    if (last !== undefined) {
      yield rest + first
      yield* lines
      rest = ""
    }
    const open = last ?? first
    held = open.endsWith("\r") ? "\r" : ""
    rest += held === "" ? open : open.slice(0, -1)
    if (rest.length > maxLineBytes * 64) rest = "" // A file without line breaks isn't one of these.
  }
  yield rest
}

const quotedPrintable = /^[^:]*[;=]QUOTED-PRINTABLE\b/i

/** Joins the lines of each property. */
async function* unfold(
  lines: AsyncIterable<string>,
  maxBytes: ReadonlyMap<string, number>,
): AsyncGenerator<string, void, undefined> {
  let pieces: string[] = []
  let length = 0
  let limit = 0
  let isSoft = false
  const take = () => pieces.join("")
  const add = (piece: string) => {
    if (length < limit) pieces.push(piece.slice(0, limit - length))
    length += piece.length
  }
  for await (const line of lines) {
    if (isSoft) {
      add(line.replace(/=$/, ""))
      isSoft = line.endsWith("=")
    } else if (/^[ \t]/.test(line) && pieces.length > 0) add(line.slice(1))
    else {
      if (pieces.length > 0) yield take()
      pieces = []
      length = 0
      limit = maxBytes.get(getPropertyName(line)) ?? maxLineBytes
      isSoft = line.endsWith("=") && quotedPrintable.test(line)
      add(isSoft ? line.slice(0, -1) : line)
    }
  }
  if (pieces.length > 0) yield take()
}

interface SplitLine {
  name: string
  group: string
  parameters: Map<string, string[]>
  value: string
}

const encodings = new Set(["QUOTED-PRINTABLE", "BASE64", "B", "8BIT", "7BIT"])

function splitLine(line: string): SplitLine | undefined {
  const [head, group = "", name = ""] =
    /^(?:([\w-]+)\.)?([\w-]+)(?=[;:])/.exec(line.slice(0, maxNameLength)) ?? []
  if (head === undefined) return undefined
  const parameters = new Map<string, string[]>()
  const add = (name: string, value: string) => {
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  let at = head.length
  while (line[at] === ";") {
    const [whole, key = "", isNamed = "", list = ""] =
      /^;([\w-]*)(=?)((?:"[^"]*"|[^";:])*)/.exec(line.slice(at, at + 4096)) ?? []
    if (whole === undefined || whole.length < 2) {
      at++
      continue
    }
    at += whole.length
    const upper = key.toUpperCase()
    if (isNamed === "") add(encodings.has(upper) ? "ENCODING" : "TYPE", key)
    else for (const value of list.match(/"[^"]*"|[^,"]+/g) ?? []) add(upper, value.replaceAll('"', "").trim())
  }
  const colon = line.indexOf(":", at)
  if (colon < 0) return undefined
  return { name: name.toUpperCase(), group, parameters, value: line.slice(colon + 1) }
}

function decodeQuotedPrintable(text: string): Buffer {
  const decoded = text.replaceAll(/=([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(decoded, "latin1")
}

/** Quotes and line breaks in parameters (RFC 6868). */
const decodeCarets = (text: string): string =>
  text.replaceAll(/\^(['n^])/g, (_, mark: string) => (mark === "n" ? "\n" : mark === "'" ? '"' : "^"))

/** Resolves the backslashes of a text. */
export const unescapeText = (value: string): string =>
  value
    .replaceAll(/\\([nN,;:\\"])/g, (_, mark: string) => (mark.toLowerCase() === "n" ? "\n" : mark))
    .replaceAll(/\r\n?/g, "\n")
    .trim()

/** Splits a value with several fields, such as a name or an address. */
export const splitFields = (value: string, separator: ";" | ","): string[] =>
  (value.match(separator === ";" ? /(?:\\.|[^\\;])+|(?<=;|^)(?=;|$)/gs : /(?:\\.|[^\\,])+/gs) ?? []).map(
    unescapeText,
  )

/** A longer beginning of a line is no name of a property, and matching it could exceed the stack. */
const maxNameLength = 200

const getPropertyName = (line: string): string =>
  /^(?:[\w-]+\.)?([\w-]+)/.exec(line.slice(0, maxNameLength))?.[1]?.toUpperCase() ?? ""
