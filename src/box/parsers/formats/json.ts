import { InnerDocuments } from "../blobs/inner-documents.ts"
import { JsonOutline } from "../json/json-outline.ts"
import { JsonScanner } from "../json/json-scanner.ts"
import type { Parser } from "../parser.ts"
import { readText } from "../text/read-text.ts"

/**
 * JSON, JSON Lines and JSON with comments, as lines such as `orders[2].customer.name: Ada`, so that a value found by search shows what it
 * is. Invalid JSON is read as far as possible.
 */
export const json: Parser = {
  async *parse({ file }, context) {
    const documents = new InnerDocuments()
    const outline = new JsonOutline(documents)
    const scanner = new JsonScanner(outline)
    for await (const chunk of readText(file)) {
      scanner.feed(chunk)
      yield* outline.blocks.splice(0)
      yield* documents.read(context)
    }
    scanner.end()
    outline.end()
    yield* outline.blocks
    yield* documents.read(context)
  },
}
