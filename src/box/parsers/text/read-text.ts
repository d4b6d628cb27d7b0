import { readChunks, type DocumentFile } from "../document/document-file.ts"
import { createDecoder, detectEncoding, isUndecided } from "./text-encoding.ts"
import type { TextChunkDecoder } from "./text-encoding.ts"
import { unicodeEncoding } from "./unicode-encoding.ts"

const chunkBytes = 256 * 1024

/**
 * Yields the decoded text of a file, chunk by chunk, without NUL characters. The encoding is determined at the first chunk that isn't plain
 * ASCII, so a file that starts in English and continues in Cyrillic is decoded correctly.
 * @param declaration returns the encoding that the document's first bytes, read as Latin-1, declare
 */
export async function* readText(
  file: DocumentFile,
  declaration: (head: string) => string | undefined = () => undefined,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextChunkDecoder | undefined
  let declared: string | undefined
  let first = true
  for await (const chunk of readChunks(file, { size: chunkBytes })) {
    if (first) {
      const unicode = unicodeEncoding(chunk)
      if (unicode) decoder = createDecoder(unicode)
      else declared = declaration(chunk.toString("latin1", 0, 4096))
      first = false
    }
    if (!decoder && !isUndecided(chunk)) decoder = createDecoder(await detectEncoding(chunk, declared))
    yield removeNul(decoder ? decoder.write(chunk) : chunk.toString("latin1"))
  }
  if (decoder) yield removeNul(decoder.end())
}

function removeNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text
}
