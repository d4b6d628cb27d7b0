import { reason } from "../../../shared/contract/file-reasons.ts"
import { failure, ParseFailure } from "../parser.ts"
import type { Block, ParseContext } from "../parser.ts"
import { withinHeading } from "../text/within-heading.ts"
import type { FileHints } from "./file-hints.ts"

/** Of documents that wait to be read, together: 64 MB. */
const mostBytes = 2 ** 26
export const longestBase64 = (mostBytes / 3) * 4

/** Pictures begin so: PNG, JPEG, GIF, WebP, BMP, TIFF. */
const picture = /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM|II\*\0|MM\0\*)/s

interface InnerDocument {
  hints: FileHints
  bytes: Buffer
}

/**
 * Documents that stand in the text of another one as base64. They are read as attachments of mails are. What nothing is said of
 * is read if it is a document, and else left out without a word: keys and signatures, and pictures, which the text shows.
 */
export class InnerDocuments {
  #waiting: InnerDocument[] = []
  #left: FileHints[] = []
  #waitingBytes = 0

  add(base64: string, hints: FileHints = {}): void {
    const size = (base64.length / 4) * 3
    if (this.#waitingBytes + size > mostBytes) {
      this.leaveOut(hints)
      return
    }
    const bytes = Buffer.from(base64, "base64")
    const isSaid = hints.name !== undefined || hints.type !== undefined
    if (!isSaid && picture.test(bytes.toString("latin1", 0, 16))) return
    this.#waiting.push({ hints, bytes })
    this.#waitingBytes += bytes.length
  }

  /** One that is too large to be kept. */
  leaveOut(hints: FileHints): void {
    this.#left.push(hints)
  }

  /** Reads those that came since the last time. */
  async *read(context: ParseContext): AsyncGenerator<Block, void, undefined> {
    const waiting = this.#waiting.splice(0)
    this.#waitingBytes = 0
    for (const hints of this.#left.splice(0))
      context.note(
        reason("embedded_left_out", { name: await nameOf(hints), cause: failure("text_too_long").reason }),
      )
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { hints, bytes } = next
      const name = await nameOf(hints)
      try {
        for await (const block of context.embedded({ name, bytes })) yield withinHeading(name, block)
      } catch (error) {
        if (!(error instanceof ParseFailure)) throw error
        if (hints.name !== undefined || hints.type !== undefined)
          context.note(reason("embedded_left_out", { name, cause: error.reason }))
      }
    }
  }
}

/** With the extension that its type has, where its name has none. */
async function nameOf({ name = "attachment", type = "" }: FileHints): Promise<string> {
  const bare = name.replaceAll("\\", "/").split("/").at(-1) || "attachment"
  if (type === "" || /\.[a-z]\w{0,9}$/i.test(bare)) return bare
  const { default: mimeTypes } = await import("mime-types")
  const extension = type.includes("/") ? mimeTypes.extension(type) : /^\.?(\w{1,10})$/.exec(type)?.[1]
  return extension ? `${bare}.${extension.toLowerCase()}` : bare
}
