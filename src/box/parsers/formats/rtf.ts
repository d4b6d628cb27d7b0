import { readChunks } from "../document/document-file.ts"
import { parseDocumentDate } from "../document/document-properties.ts"
import type { Block, ParseContext, Parser } from "../parser.ts"
import { RtfOutline } from "../rtf/rtf-outline.ts"
import { RtfScanner } from "../rtf/rtf-scanner.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { HiddenText } from "../text/hidden-text.ts"

/** Information about the document stands near its start. */
const infoBytes = 256 * 1024

/** Reads RTF documents: headings, paragraphs, tables, notes and text boxes. */
export const rtf: Parser = {
  async *parse({ file }, context) {
    const head = Buffer.alloc(infoBytes)
    const length = await file.read(head, 0)
    context.describe({ date: readCreated(head.toString("latin1", 0, length)) })
    yield* rtfBlocks(readChunks(file, { size: 256 * 1024 }), context)
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

/** Yields the blocks of RTF that arrives in chunks. */
export async function* rtfBlocks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  context: Pick<ParseContext, "note" | "marksHidden">,
): AsyncGenerator<Block, void, undefined> {
  const hidden = new HiddenText(context)
  const outline = new FlowOutline({}, hidden)
  const reader = new RtfOutline(outline, hidden)
  const scanner = new RtfScanner(reader)
  for await (const chunk of chunks) {
    scanner.feed(chunk)
    yield* outline.take()
  }
  scanner.end()
  reader.finish()
  yield* outline.take()
  hidden.note(context)
}
