import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import type { Block, ParserInput } from "../parser.ts"
import type { DocumentReader } from "./document-reader.ts"

/** Yields the blocks of a document given as bytes, which are stored in a temporary file. Throws like the reader's `read`. */
export async function* readBytes(
  reader: Pick<DocumentReader, "read">,
  { bytes, name, ...input }: { bytes: Buffer } & Pick<ParserInput, "name" | "article">,
  signal: AbortSignal,
): AsyncGenerator<Block, void, undefined> {
  const directory = makeTemporaryDirectory("casella-page-")
  try {
    const path = join(directory, name)
    await writeFile(path, bytes)
    yield* reader.read({ path, name, ...input }, { signal })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
