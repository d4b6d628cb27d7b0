import { readChunks } from "../document/document-file.ts"
import { parseDocumentDate } from "../document/document-properties.ts"
import type { Block, ParseContext, Parser, PictureCollector } from "../parser.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { RtfOutline } from "../rtf/rtf-outline.ts"
import { RtfScanner } from "../rtf/rtf-scanner.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { HiddenText } from "../text/hidden-text.ts"

/** Information about the document stands near its start. */
const infoBytes = 256 * 1024

/** Reads RTF documents: headings, paragraphs, tables, notes and text boxes. */
export const rtf: Parser = {
  async *parse({ file, scan }, context) {
    const chunks = readChunks(file, { size: 256 * 1024 })
    if (scan?.picture !== undefined)
      return yield* readPicture(await findPicture(chunks, Number(scan.picture)), context)
    const head = Buffer.alloc(infoBytes)
    const length = await file.read(head, 0)
    context.describe({ date: readCreated(head.toString("latin1", 0, length)) })
    yield* rtfBlocks(chunks, context, context.pictures)
  },
}

/** Returns the time in `\creatim` of the document's information (RTF 1.9.1). */
function readCreated(head: string): Date | undefined {
  const found = /\\creatim\s*((?:\\(?:yr|mo|dy|hr|min|sec)\d{1,4}\s*)+)/.exec(head)?.[1] ?? ""
  const part = (name: string) => (new RegExp(`\\\\${name}(\\d+)`).exec(found)?.[1] ?? "0").padStart(2, "0")
  return parseDocumentDate(
    `${part("yr")}-${part("mo")}-${part("dy")}T${part("hr")}:${part("min")}:${part("sec")}`,
  )
}

/** Returns the file of a picture by its number, from 1. Throws `ParseFailure` if it is too large. */
async function findPicture(chunks: AsyncIterable<Buffer>, wanted: number): Promise<Buffer | undefined> {
  const hidden = new HiddenText({ marksHidden: true })
  const outline = new FlowOutline({}, hidden)
  const reader = new RtfOutline(outline, hidden, (number) => number === wanted)
  const scanner = new RtfScanner(reader)
  for await (const chunk of chunks) {
    scanner.feed(chunk)
    outline.take()
    if (reader.pictures.length > 0) break
  }
  return reader.pictures[0]?.picture.getFile()
}

/** Yields the blocks of RTF that arrives in chunks. The key of a picture, if pictures are wanted, is its number. */
export async function* rtfBlocks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  context: Pick<ParseContext, "note" | "marksHidden">,
  pictures?: PictureCollector,
): AsyncGenerator<Block, void, undefined> {
  const hidden = new HiddenText(context)
  const outline = new FlowOutline({}, hidden)
  const reader = new RtfOutline(outline, hidden, pictures && (() => true))
  const scanner = new RtfScanner(reader)
  for await (const chunk of chunks) {
    scanner.feed(chunk)
    yield* outline.take()
    for (const { number, picture, location, isHidden } of reader.pictures.splice(0)) {
      const load = () => Promise.resolve().then(() => picture.getFile())
      if (pictures) yield* pictures.see({ key: String(number), location, isHidden, load })
    }
  }
  scanner.end()
  reader.finish()
  yield* outline.take()
  hidden.note(context)
}
