import { createReadStream } from "node:fs"
import type { Parser } from "./parser.ts"
import { RtfOutline } from "./rtf/rtf-outline.ts"
import { RtfScanner } from "./rtf/rtf-scanner.ts"
import { FlowOutline } from "./text/flow-outline.ts"

/** RTF documents: headings, paragraphs, tables, notes and text boxes. */
export const rtf: Parser = {
  async *parse({ path }) {
    const outline = new FlowOutline()
    const reader = new RtfOutline(outline)
    const scanner = new RtfScanner(reader)
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      scanner.feed(chunk as Buffer)
      yield* outline.take()
    }
    scanner.end()
    reader.finish()
    yield* outline.take()
  },
}
