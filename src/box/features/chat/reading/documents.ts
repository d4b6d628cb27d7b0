import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { goneOrThrow, getMissing, whyUnreadable } from "../../../core/files/unread.ts"
import { untilAborted } from "../../../core/waiting/abort.ts"
import { yieldToEventLoop } from "../../../core/waiting/yield-to-event-loop.ts"
import type { Block } from "../../../parsers/parser.ts"
import {
  listFiles,
  type LibraryFile,
  type Reader,
  type ReadingLibrary,
  type ReadingScope,
} from "./library.ts"

/** A file that the question is about, with as much text as it has. */
export interface Document {
  file: LibraryFile
  blocks: Block[]
  /** Why the file isn't read, or what is missing from its text. */
  skipped: readonly Sentence[]
}

/**
 * Opens all files the question is about, with their stored text; nothing is parsed again. Stops opening texts when the signal is aborted.
 */
export async function openDocuments(
  library: ReadingLibrary,
  scope: ReadingScope,
  signal: AbortSignal,
): Promise<Document[]> {
  const documents: Document[] = []
  for (const file of await listFiles(library, scope)) {
    await yieldToEventLoop()
    const opened = signal.aborted
      ? undefined
      : await untilAborted(openDocument(library, scope, file, signal), signal)
    documents.push(opened ?? stoppedBefore(file))
  }
  return documents
}

const stoppedBefore = (file: LibraryFile): Document => ({
  file,
  blocks: [],
  skipped: [sentence("reading.stopped")],
})

async function openDocument(
  library: ReadingLibrary,
  reader: Reader,
  file: LibraryFile,
  signal: AbortSignal,
): Promise<Document> {
  const blocks: Block[] = []
  const unread = whyUnreadable(file)
  if (unread) return { file, blocks, skipped: unread }
  try {
    for await (const some of await library.blocks(reader, file)) {
      blocks.push(...some.filter(({ text }) => text.trim() !== ""))
      await yieldToEventLoop()
      if (signal.aborted) return stoppedBefore(file)
    }
  } catch (error) {
    return { file, blocks: [], skipped: [goneOrThrow(error)] }
  }
  return { file, blocks, skipped: getMissing(file, blocks.length > 0) }
}

export const countCharacters = (blocks: readonly Pick<Block, "text">[]): number =>
  blocks.reduce((sum, { text }) => sum + text.length, 0)

/** Returns a reason for each file that has changed since it was read. */
export async function changedSince(
  library: ReadingLibrary,
  scope: ReadingScope,
  documents: readonly Document[],
): Promise<Map<Document, Sentence>> {
  const listed = await listFiles(library, scope).catch((error: unknown) => {
    goneOrThrow(error)
    return []
  })
  const now = new Map(listed.map(({ id, updatedAt }) => [id, updatedAt]))
  return new Map(
    documents
      .filter(({ file, blocks }) => blocks.length > 0 && now.get(file.id) !== file.updatedAt)
      .map((document) => [
        document,
        sentence(now.has(document.file.id) ? "reading.changed" : "reading.gone"),
      ]),
  )
}
