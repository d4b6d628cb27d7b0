import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ParseFailure } from "./parser.ts"
import type { TextRecognizer } from "./ocr/text-recognizer.ts"
import type { Block, EmbeddedDocument, ParseContext, Parser, ParserInput } from "./parser.ts"

const maxNesting = 5
/** Documents inside one file, at all depths together. */
const maxDocuments = 1000

/**
 * What a parser gets beside its file. Documents inside it are written to the scratch directory one at a time, because
 * parsers read files, and removed once they are read.
 */
export function createParseContext(
  scratchDirectory: string,
  parserFor: (input: ParserInput) => Promise<Parser>,
  note: (sentence: string) => void,
  ocr?: TextRecognizer,
): ParseContext {
  let documents = 0
  const at = (depth: number, outer: string): ParseContext => ({
    note: (sentence) => note(outer === "" ? sentence : `${outer}: ${sentence}`),
    ...(ocr ? { ocr } : {}),
    async *embedded({ name, bytes }: EmbeddedDocument): AsyncGenerator<Block, void, undefined> {
      if (depth >= maxNesting) {
        throw new ParseFailure(`"${name}" lies more than ${maxNesting} documents deep and is left out.`)
      }
      if (++documents > maxDocuments) {
        throw new ParseFailure(`Only the first ${maxDocuments} documents inside this file are read.`)
      }
      const path = join(scratchDirectory, String(documents))
      try {
        await writeFile(path, bytes)
        const parser = await parserFor({ path, name })
        yield* parser.parse({ path, name }, at(depth + 1, name))
      } finally {
        await rm(path, { force: true })
      }
    },
  })
  return at(0, "")
}
