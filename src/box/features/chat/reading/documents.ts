import { hash } from "node:crypto"
import type { Coverage } from "../../../../shared/contract/chat.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { goneOrThrow, getMissing, whyUnreadable, skippedFor } from "../../../core/files/unread.ts"
import { untilAborted } from "../../../core/waiting/abort-and-timeout.ts"
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

/** A block with its document. */
export interface PlacedBlock {
  document: Document
  /** Index of the block in the document's blocks. */
  index: number
  block: Block
}

/** The blocks that a model reads in one request. */
export type Part = readonly PlacedBlock[]

export const charactersIn = (part: Part): number => countCharacters(part.map(({ block }) => block))

/** Approximate number of characters that a prompt adds around each block. */
const around = 12
/** Share of the room after which a part may end before a heading or a new page. */
const early = 0.6
/** Share of the room after which a part of small documents may end. The lower it is, the fewer parts change when a document changes. */
const earlyShared = 0.4

const getSize = ({ block }: PlacedBlock) => block.text.length + around

/**
 * Cuts documents into parts of at most roughly `room` characters. Small documents share a part. The cuts depend on as few other documents
 * as possible, so that stored notes on a part stay valid when another file changes.
 */
export function cutParts(documents: readonly Document[], room: number): Part[] {
  const parts: Part[] = []
  let shared: SmallDocument[] = []
  let size = 0
  const close = (count = shared.length) => {
    if (count > 0) parts.push(shared.slice(0, count).flatMap(({ blocks }) => blocks))
    shared = shared.slice(count)
    size = shared.reduce((sum, each) => sum + each.size, 0)
  }
  for (const document of documents) {
    const blocks = document.blocks.map((block, index) => ({ document, index, block }))
    if (blocks.length === 0) continue
    if (countCharacters(document.blocks) > room / 2) {
      close()
      parts.push(...cut(blocks, room))
      continue
    }
    const own = blocks.reduce((sum, each) => sum + getSize(each), 0)
    if (size + own > room) close(lastOfPart(shared, room))
    // The documents left over may still be too large to share a part with this one.
    if (size + own > room) close()
    shared.push({ blocks, size: own, order: getOrder(document) })
    size += own
  }
  close()
  return parts
}

/** A small document: its blocks, size and order. */
interface SmallDocument {
  blocks: PlacedBlock[]
  size: number
  order: number
}

const getOrder = ({ file }: Document) => hash("sha256", file.id, "buffer").readUInt32BE()

/**
 * Returns how many of these documents form the next part. The part ends with the document of lowest order among those that are allowed to
 * end it. The order doesn't depend on the documents before it, so the cuts soon coincide again after a change.
 */
function lastOfPart(documents: readonly SmallDocument[], room: number): number {
  let [size, lowest, count] = [0, Infinity, documents.length]
  for (const [index, document] of documents.entries()) {
    size += document.size
    if (size <= room * earlyShared || document.order >= lowest) continue
    lowest = document.order
    count = index + 1
  }
  return count
}

function cut(placed: readonly PlacedBlock[], room: number): Part[] {
  const parts: Part[] = []
  let part: PlacedBlock[] = []
  let size = 0
  for (const next of placed) {
    const before = part.at(-1)
    const isFull = size + getSize(next) > room || (size > room * early && startsSection(next, before))
    if (before && isFull) {
      parts.push(part)
      part = []
      size = 0
    }
    part.push(next)
    size += getSize(next)
  }
  return [...parts, part]
}

/** Returns whether a heading, page, slide, sheet, message or member of an archive begins with this block. */
const startsSection = ({ block }: PlacedBlock, before: PlacedBlock | undefined) =>
  block.kind === "heading" ||
  (["page", "slide", "sheet", "message", "entry"] as const).some(
    (unit) => block.location[unit] !== before?.block.location[unit],
  )

/** Minimum number of characters in each half of a cut text: a model that can't read that few can't read any. */
const shortest = 100

/** Returns two halves of a part that is too large, or null if there is nothing to cut. For a single block, cuts its text. */
export function halve(part: Part): [Part, Part] | null {
  const middle = Math.ceil(part.length / 2)
  if (part.length > 1) return [part.slice(0, middle), part.slice(middle)]
  const [only] = part
  if (only === undefined || only.block.text.length < shortest * 2) return null
  const { text } = only.block
  const half = Math.floor(text.length / 2)
  const space = text.indexOf(" ", half)
  const at = space === -1 ? splittable(text, half) : space
  const [one, other] = [text.slice(0, at), text.slice(at)].map((piece) => ({
    ...only,
    block: { ...only.block, text: piece },
  }))
  return one && other ? [[one], [other]] : null
}

/** Never cuts inside a surrogate pair. */
const splittable = (text: string, at: number) => (/[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at + 1 : at)

type FileCoverage = Coverage["files"][number]
type Unit = FileCoverage["unit"]

/** The unread blocks of a document, by number, and the reason. */
export interface Unread {
  blocks: ReadonlySet<number>
  reason: Sentence | null
}

export interface ReadDocument {
  document: Document
  unread: Unread
}

/** Returns how much of each file was read. */
export function computeCoverage(documents: readonly ReadDocument[]): Coverage {
  const files = documents.map(coverageOfFile)
  return { files, complete: files.every(({ skipped }) => skipped === null) }
}

/** Counts in the unit of the file's kind. A page is read if everything on it was read. */
function coverageOfFile({ document: { file, blocks, skipped }, unread }: ReadDocument): FileCoverage {
  const unit = getUnit(blocks)
  const spans = getSpans(blocks, unit)
  const of = spans.reduce((last, { to }) => Math.max(last, to), 0)
  const missing = new Set<number>()
  for (const index of unread.blocks) {
    // Blank pages and lines belong to the block before them.
    const from = index === 0 ? 1 : (spans[index]?.from ?? 1)
    const to = Math.max(spans[index]?.to ?? 0, (spans[index + 1]?.from ?? 0) - 1)
    for (let number = from; number <= to; number++) missing.add(number)
  }
  const reasons = unread.reason === null ? skipped : [unread.reason, ...skipped]
  return {
    fileId: file.id,
    name: file.name,
    read: of - missing.size,
    of,
    unit,
    ...skippedFor(reasons),
  }
}

/** Returns the unit that all blocks have, otherwise the blocks themselves. Each member of an archive has units of its own. */
function getUnit(blocks: readonly Block[]): Unit {
  const unitOfPart = (["page", "slide", "sheet", "line"] as const).find((unit) =>
    blocks.every(({ location }) => location[unit] !== undefined && location.entry === undefined),
  )
  return blocks.length > 0 && unitOfPart ? unitOfPart : "part"
}

/** Returns the range of pages, lines or other units of each block, starting at 1, with an inclusive end. */
function getSpans(blocks: readonly Block[], unit: Unit): { from: number; to: number }[] {
  const sheets = new Map<string, number>()
  return blocks.map(({ text, location }, index) => {
    if (unit === "sheet") {
      const name = location.sheet ?? ""
      const number = sheets.get(name) ?? sheets.size + 1
      sheets.set(name, number)
      return { from: number, to: number }
    }
    const from = (unit === "part" ? undefined : location[unit]) ?? index + 1
    return { from, to: unit === "line" ? from + text.split("\n").length - 1 : from }
  })
}
