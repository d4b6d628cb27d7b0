import { takeDataUris } from "../blobs/base64.ts"
import type { Block, Parser } from "../parser.ts"
import { LineBlock, readLines } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

/** Plain text. Paragraphs are separated by blank lines. */
export const plainText: Parser = {
  parse: ({ file }, context) => paragraphs(takeDataUris(readText(file, context))),
}

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

/**
 * Source code and configuration in any language, without its grammar. A block ends where a blank line is followed by a line without
 * indentation, which is where top-level functions, classes and sections start.
 */
export const sourceCode: Parser = {
  parse: ({ file }, context) => topLevelBlocks(takeDataUris(readText(file, context))),
}

async function* topLevelBlocks(chunks: AsyncIterable<string>): AsyncGenerator<Block, void, undefined> {
  const code = new LineBlock()
  let afterBlank = false
  for await (const lines of readLines(chunks)) {
    for (const line of lines) {
      const blank = line.text.trim() === ""
      if ((afterBlank && startsTopLevel(line.text)) || code.overflows(line)) {
        const block = code.take("code")
        if (block) yield block
      }
      // Blank lines inside a block are kept; those before it aren't part of it.
      if (!blank || !code.isEmpty) code.add(line)
      afterBlank = blank
    }
  }
  const last = code.take("code")
  if (last) yield last
}

/** Closing brackets and words such as `end`, `else` and `fi` belong to the text above them. */
function startsTopLevel(line: string): boolean {
  return /^[^\s)\]}]/.test(line) && !/^(end|else|elif|elsif|fi|done|esac|begin|then)\b/i.test(line)
}
