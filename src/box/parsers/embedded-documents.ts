import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { FileReason } from "../../shared/contract/files.ts"
import { failure } from "./parser.ts"
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
  note: (said: FileReason) => void,
  ocr?: TextRecognizer,
): ParseContext {
  let documents = 0
  const at = (depth: number, outer: string): ParseContext => ({
    note: (said) => note(outer === "" ? said : { ...said, document: outer }),
    ...(ocr ? { ocr } : {}),
    async *embedded({ name, bytes }: EmbeddedDocument): AsyncGenerator<Block, void, undefined> {
      if (depth >= maxNesting) {
        throw failure("embedded_too_deep", { name, count: maxNesting })
      }
      if (++documents > maxDocuments) {
        throw failure("documents_left_out", { count: maxDocuments })
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
