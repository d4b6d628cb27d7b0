import { readChunks } from "../document/document-file.ts"
import type { Block, Parser } from "../parser.ts"
import { RtfOutline } from "../rtf/rtf-outline.ts"
import { RtfScanner } from "../rtf/rtf-scanner.ts"
import { FlowOutline } from "../text/flow-outline.ts"

/** Reads RTF documents: headings, paragraphs, tables, notes and text boxes. */
export const rtf: Parser = {
  parse: ({ file }) => rtfBlocks(readChunks(file, { size: 256 * 1024 })),
}

/** Yields the blocks of RTF that arrives in chunks. */
export async function* rtfBlocks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Block, void, undefined> {
  const outline = new FlowOutline()
  const reader = new RtfOutline(outline)
  const scanner = new RtfScanner(reader)
  for await (const chunk of chunks) {
    scanner.feed(chunk)
    yield* outline.take()
  }
  scanner.end()
  reader.finish()
  yield* outline.take()
}
