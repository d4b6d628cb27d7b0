import { AppError } from "../../../shared/contract/errors.ts"
import { reasonSentence } from "../../../shared/contract/file-reasons.ts"
import type { FileBlock, FileReason, ReadAs } from "../../../shared/contract/files.ts"
import { ParseFailure, type ParserInput } from "../../parsers/parser.ts"
import type { DocumentReader } from "../../parsers/process/document-reader.ts"

/** The start of a text as it would be read. */
export interface TextPreview {
  blocks: FileBlock[]
  reasons: FileReason[]
}

const maxBlocks = 20
const maxCharacters = 500

/**
 * Reads the start of a text file, in turn with the documents of other people. An image, or a scanned page, has no blocks. Throws
 * `unprocessable` with the reason if the file can't be read.
 */
export async function previewText(
  reader: Pick<DocumentReader, "read">,
  { path, identity, name }: ParserInput,
  { encoding, delimiter }: ReadAs,
  { signal, person }: { signal: AbortSignal; person: string },
): Promise<TextPreview> {
  const reasons: FileReason[] = []
  const blocks: FileBlock[] = []
  const readAs = { encoding: encoding ?? null, delimiter: delimiter ?? null }
  const input = { path, name, readAs, ...(identity && { identity }) }
  const options = {
    signal,
    person,
    onNote: (note: FileReason) => reasons.push(note),
    onScans: () => undefined, // without this, scans are an error
  }
  try {
    for await (const block of reader.read(input, options)) {
      blocks.push({ ...block, text: block.text.slice(0, maxCharacters) })
      if (blocks.length === maxBlocks) break
    }
  } catch (error) {
    if (error instanceof ParseFailure) throw new AppError("unprocessable", reasonSentence(error.reason))
    throw error
  }
  return { blocks, reasons }
}
