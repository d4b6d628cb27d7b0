import { collectFileHint, type FileHints } from "./file-hints.ts"
import { maxBase64Length, type InnerDocuments } from "./inner-documents.ts"

const opening = /data:([\w.+/-]{0,100})((?:;[\w.=+%-]{1,100}){0,4});base64,/i
const openingCutOff = /(?:d|da|dat|data|data:[\w.+/;=%-]*)$/i
const maxOpeningLength = 512

/**
 * Removes `data:…;base64,…` from a text, which may be megabytes of meaningless letters. Images and fonts are dropped, because they are only
 * displayed; other documents are passed to `documents`, if given.
 */
export async function* takeDataUris(
  chunks: AsyncIterable<string> | Iterable<string>,
  documents?: InnerDocuments,
): AsyncGenerator<string, void, undefined> {
  let held = ""
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
        inside.end(documents)
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
      inside = new Blob(documents && getHints(found[1], found[2]))
    }
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
  readonly #parts: string[] = []
  #length = 0

  constructor(hints: FileHints | undefined) {
    this.#hints = hints
  }

  add(part: string): void {
    this.#length += part.length
    if (!this.#hints) return
    if (this.#length > maxBase64Length) this.#parts.length = 0
    else this.#parts.push(part)
  }

  end(documents: InnerDocuments | undefined): void {
    if (!this.#hints) return
    if (this.#length > maxBase64Length) documents?.leaveOut(this.#hints)
    else documents?.add(this.#parts.join(""), this.#hints)
  }
}
