import { collectFileHint, type FileHints, maxBase64Length, type InnerDocuments } from "./inner-documents.ts"

/** Shorter texts are keys, hashes and names, which people may search for. */
const minCharacters = 128
/** No language has words this long. Base64 is wrapped in lines of 60 to 76 characters. */
const minInLine = 40
/** Matched instead of the allowed characters, because V8's regular expressions may overflow the stack on a text of 90 MB. */
const invalidCharacter = /[^A-Za-z0-9+/]/

/** Whether a text contains only base64 characters, with optional `=` at its end. */
function hasOnlyBase64Characters(text: string): boolean {
  const bare = text.replace(/={1,2}$/, "")
  return bare !== "" && !invalidCharacter.test(bare)
}

/** Whether a text contains only bytes in base64, possibly in lines: no prose, number, path or hexadecimal digits. */
export function isBase64(text: string): boolean {
  if (text.length < minCharacters) return false
  const start = text.trimStart().slice(0, minInLine)
  if (!/^[A-Za-z0-9+/]{40}/.test(start)) return false // Checked before anything long.
  const lines = text.trim().split(/\s+/)
  const last = lines.pop() ?? ""
  if (!hasOnlyBase64Characters(last)) return false
  if (!lines.every((line) => line.length >= minInLine && !invalidCharacter.test(line))) return false
  return isMixed(text.slice(0, 4_000))
}

/** Whether a text of any length can be base64. Used where base64 is declared. */
export function isPlainBase64(text: string): boolean {
  const bare = text.replace(/\s+/g, "")
  return bare.length > 0 && bare.length % 4 === 0 && hasOnlyBase64Characters(bare)
}

/** The bytes of documents soon produce upper-case letters, lower-case letters and digits. */
const isMixed = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text)

const minLines = 4
const minWidth = 60

/** A series of base64 lines within other text, from its first line to before `end`. */
export interface Base64Lines {
  start: number
  end: number
}

/** Finds base64 among the lines of a text, such as the source of an email that another one quotes. */
export function findBase64Lines(lines: readonly string[]): Base64Lines[] {
  const found: Base64Lines[] = []
  for (let start = 0; start < lines.length; start++) {
    const width = lines[start]?.length ?? 0
    if (width < minWidth) continue
    let end = start
    while (lines[end]?.length === width && hasOnlyBase64Characters(lines[end] ?? "")) end++
    if (end - start < minLines) continue
    const last = lines[end] ?? ""
    if (last.length < width && hasOnlyBase64Characters(last) && !/^[a-z]*$/i.test(last)) end++
    if (isMixed(lines.slice(start, end).join("").slice(0, 4_000))) found.push({ start, end })
    start = end - 1
  }
  return found
}

const opening = /data:([\w.+/-]{0,100})((?:;[\w.=+%-]{1,100}){0,4});base64,/i
const openingCutOff = /(?:d|da|dat|data|data:[\w.+/;=%-]*)$/i
const maxOpeningLength = 512

/** Takes the pictures of a text. */
export interface PictureTaker {
  /** Returns what replaces the data of a picture. */
  take: (base64: string) => string
  /** Matches what precedes a picture; by default `src=`. Data in other places is dropped. */
  follows?: RegExp
}

const sourceAttribute = /\bsrc\s*=\s*["']?$/i
/** In Markdown, pictures are also the targets of links, and defined in lines such as `[logo]: data:…`. */
export const markdownPicture = /(?:\bsrc\s*=\s*["']?|\]\(\s*<?|\]:\s*<?)$/i
const maxAttributeLength = 20

/**
 * Removes `data:…;base64,…` from a text, which may be megabytes of meaningless letters. Images and fonts are dropped, because they are only
 * displayed, unless they are passed to `pictures`; other documents are passed to `documents`, if given.
 */
export async function* takeDataUris(
  chunks: AsyncIterable<string> | Iterable<string>,
  documents?: InnerDocuments,
  pictures?: PictureTaker,
): AsyncGenerator<string, void, undefined> {
  let held = ""
  let before = ""
  let inside: Blob | undefined
  for await (const chunk of chunks) {
    let text = held + chunk
    let kept = ""
    held = ""
    while (text !== "") {
      if (inside) {
        const end = text.search(/[^A-Za-z0-9+/=]/)
        inside.add(end < 0 ? text : text.slice(0, end))
        if (end < 0) break
        text = text.slice(end)
        kept += inside.end(documents)
        inside = undefined
      }
      const found = opening.exec(text)
      if (!found) {
        held = openingCutOff.exec(text.slice(-maxOpeningLength))?.[0] ?? ""
        kept += text.slice(0, text.length - held.length)
        break
      }
      kept += text.slice(0, found.index)
      text = text.slice(found.index + found[0].length)
      before = (before + kept).slice(-maxAttributeLength)
      const follows = pictures?.follows ?? sourceAttribute
      const isPicture = pictures && /^image\//i.test(found[1] ?? "") && follows.test(before)
      inside = isPicture ? new Blob({}, pictures.take) : new Blob(documents && getHints(found[1], found[2]))
    }
    before = (before + kept).slice(-maxAttributeLength)
    yield kept
  }
  inside?.end(documents)
  yield held
}

export const holdsDataUri = (text: string): boolean => opening.test(text)

/** Removes data URIs from a complete text, whose base64 may be wrapped in lines. `said` contains other hints about the document. */
export function removeDataUris(text: string, documents: InnerDocuments, fileHints: FileHints = {}): string {
  if (!holdsDataUri(text)) return text
  const whole = new RegExp(`${opening.source}([A-Za-z0-9+/=]+(?:\\s+[A-Za-z0-9+/=]{40,})*)`, "gi")
  return text.replace(whole, (_, type: string, parameters: string, base64: string) => {
    const hints = getHints(type, parameters)
    if (hints) documents.add(base64, { ...fileHints, ...hints })
    return ""
  })
}

/** Returns the hints about a document; undefined for content that is only displayed. */
function getHints(type = "", parameters = ""): FileHints | undefined {
  if (/^(image|font|audio|video)\//i.test(type)) return undefined
  const hints: FileHints = type === "" ? {} : { type }
  for (const parameter of parameters.split(";")) {
    const [key = "", value = ""] = parameter.split("=")
    if (/^(file)?name$/i.test(key)) collectFileHint(hints, key, unescaped(value))
  }
  return hints
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Base64 that arrives in parts. Holds no more of it than may be read. */
class Blob {
  readonly #hints: FileHints | undefined
  readonly #takePicture: PictureTaker["take"] | undefined
  readonly #parts: string[] = []
  #length = 0

  constructor(hints: FileHints | undefined, takePicture?: PictureTaker["take"]) {
    this.#hints = hints
    this.#takePicture = takePicture
  }

  add(part: string): void {
    this.#length += part.length
    if (!this.#hints) return
    if (this.#length > maxBase64Length) this.#parts.length = 0
    else this.#parts.push(part)
  }

  /** Returns what replaces the data in the text. */
  end(documents: InnerDocuments | undefined): string {
    if (!this.#hints) return ""
    if (this.#takePicture) return this.#takePicture(this.#parts.join(""))
    if (this.#length > maxBase64Length) documents?.leaveOut(this.#hints)
    else documents?.add(this.#parts.join(""), this.#hints)
    return ""
  }
}
