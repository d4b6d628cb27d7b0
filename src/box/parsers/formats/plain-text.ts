import { takeDataUris } from "../blobs/base64.ts"
import type { Block, Parser } from "../parser.ts"
import { LineBlock, readLines } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

/** Plain text. Paragraphs are separated by blank lines. */
export const plainText: Parser = { parse: ({ file }) => paragraphs(takeDataUris(readText(file))) }

/** Yields the paragraphs of text that arrives in chunks. */
export async function* paragraphs(chunks: AsyncIterable<string>): AsyncGenerator<Block, void, undefined> {
  const paragraph = new LineBlock()
  for await (const lines of readLines(chunks)) {
    for (const line of lines) {
      const blank = line.text.trim() === ""
      if (blank || paragraph.overflows(line)) {
        const block = paragraph.take("paragraph")
        if (block) yield block
      }
      if (!blank) paragraph.add(line)
    }
  }
  const last = paragraph.take("paragraph")
  if (last) yield last
}
