import { reason } from "../../../shared/contract/file-reasons.ts"
import { noteSkipped } from "../document/left-out-parts.ts"
import { failure, ParseFailure, type Block, type ParseContext } from "../parser.ts"
import { withinHeading } from "../text/flow-outline.ts"

/** A document's information about a file that it contains. */
export interface FileHints {
  name?: string
  /** A media type or an extension. */
  type?: string
}

const nameKey = /^(file_?name|name|nome\w*|dateiname|nomefichier|title)$/i
const typeKey = /^(mime_?code|mime_?type|media_?type|content_?type|formato\w*|type|format|extension)$/i
const maxHintLength = 200

/** Adds the information about a file from a member, attribute or sibling with this name. */
export function collectFileHint(hints: FileHints, key: string, value: string): void {
  const trimmed = value.trim()
  if (trimmed === "" || trimmed.length > maxHintLength) return
  if (nameKey.test(key)) hints.name = trimmed
  else if (typeKey.test(key)) hints.type = trimmed
}

/** Maximum size of all waiting documents together: 64 MB. */
const maxBytes = 2 ** 26
export const maxBase64Length = (maxBytes / 3) * 4

/** First bytes of image formats: PNG, JPEG, GIF, WebP, BMP, TIFF. */
const picture = /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM|II\*\0|MM\0\*)/s

interface InnerDocument {
  hints: FileHints
  bytes: Buffer
}

/**
 * Documents contained as base64 in the text of another one. They are read like email attachments. Data without hints is read if it is a
 * document, and otherwise left out without a note: keys, signatures, and images, which are only displayed.
 */
export class InnerDocuments {
  #waiting: InnerDocument[] = []
  #left: FileHints[] = []
  #waitingBytes = 0

  add(base64: string, hints: FileHints = {}): void {
    const size = (base64.length / 4) * 3
    if (this.#waitingBytes + size > maxBytes) {
      this.leaveOut(hints)
      return
    }
    const bytes = Buffer.from(base64, "base64")
    const isDeclared = hints.name !== undefined || hints.type !== undefined
    if (!isDeclared && picture.test(bytes.toString("latin1", 0, 16))) return
    this.#waiting.push({ hints, bytes })
    this.#waitingBytes += bytes.length
  }

  /** Leaves out a document that is too large to keep. */
  leaveOut(hints: FileHints): void {
    this.#left.push(hints)
  }

  /** Reads the documents added since the last call. */
  async *read(context: ParseContext): AsyncGenerator<Block, void, undefined> {
    const waiting = this.#waiting.splice(0)
    this.#waitingBytes = 0
    for (const hints of this.#left.splice(0))
      context.note(
        reason("embedded_left_out", { name: await getName(hints), cause: failure("text_too_long").reason }),
      )
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { hints, bytes } = next
      const name = await getName(hints)
      try {
        for await (const block of context.embedded({ name, bytes })) yield withinHeading(name, block)
      } catch (error) {
        if (!(error instanceof ParseFailure)) throw error
        if (hints.name !== undefined || hints.type !== undefined) noteSkipped(context, name, error)
      }
    }
  }
}

/** Returns the name, with the extension of its type if it has none. */
async function getName({ name = "attachment", type = "" }: FileHints): Promise<string> {
  const bare = name.replaceAll("\\", "/").split("/").at(-1) || "attachment"
  if (type === "" || /\.[a-z]\w{0,9}$/i.test(bare)) return bare
  const { default: mimeTypes } = await import("mime-types")
  const extension = type.includes("/") ? mimeTypes.extension(type) : /^\.?(\w{1,10})$/.exec(type)?.[1]
  return extension ? `${bare}.${extension.toLowerCase()}` : bare
}
