import { Readable } from "node:stream"
import { findBase64Lines } from "../blobs/base64.ts"
import { takeDataUris } from "../blobs/data-uris.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { paragraphs } from "../formats/plain-text.ts"
import type { Block, ParseContext } from "../parser.ts"

/** How many lines before base64 may name the file that it is: those of a mail's part. */
const linesOfHead = 12

/** The plain text of a message, then the documents that stand in it as base64, such as those of a mail that it quotes whole. */
export async function* mailText(text: string, context: ParseContext): AsyncGenerator<Block, void, undefined> {
  const documents = new InnerDocuments()
  yield* paragraphs(takeDataUris(Readable.from([withoutBase64(text, documents)]), documents))
  yield* documents.read(context)
}

function withoutBase64(text: string, documents: InnerDocuments): string {
  const lines = text.split(/\r?\n/)
  for (const { start, end } of findBase64Lines(lines)) {
    const head = lines.slice(Math.max(0, start - linesOfHead), start).join("\n")
    const name = /\b(?:file)?name="?([^"\n;]{1,200})/i.exec(head)?.[1]
    documents.add(lines.slice(start, end).join(""), name === undefined ? {} : { name })
    lines.fill("", start, end)
  }
  return lines.join("\n")
}
