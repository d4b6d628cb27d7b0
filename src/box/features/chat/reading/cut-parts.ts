import { hash } from "node:crypto"
import type { Block } from "../../../parsers/parser.ts"
import { charactersOf, type Document } from "./documents.ts"

/** A block, and where it comes from. */
export interface PlacedBlock {
  document: Document
  /** Its number in the document's blocks. */
  index: number
  block: Block
}

/** What a model reads at once. */
export type Part = readonly PlacedBlock[]

export const charactersIn = (part: Part): number => charactersOf(part.map(({ block }) => block))

/** Characters that stand around a block in a prompt, roughly. */
const around = 12
/** From here on a part may end before a heading, or with its page, although there is more room. */
const early = 0.6
/** From here on a part of small documents may end: the earlier, the fewer parts are others when a document changes. */
const earlyShared = 0.4

const sizeOf = ({ block }: PlacedBlock) => block.text.length + around

/**
 * Cuts documents into parts of about so many characters. Small ones share a part. Which ones, and where a document is cut,
 * depends on as little as can be, so that what was noted of a part still holds when another file changes.
 */
export function cutParts(documents: readonly Document[], room: number): Part[] {
  const parts: Part[] = []
  let shared: Placed[] = []
  let size = 0
  const close = (count = shared.length) => {
    if (count > 0) parts.push(shared.slice(0, count).flatMap(({ blocks }) => blocks))
    shared = shared.slice(count)
    size = shared.reduce((sum, each) => sum + each.size, 0)
  }
  for (const document of documents) {
    const blocks = document.blocks.map((block, index) => ({ document, index, block }))
    if (blocks.length === 0) continue
    if (charactersOf(document.blocks) > room / 2) {
      close()
      parts.push(...cut(blocks, room))
      continue
    }
    const own = blocks.reduce((sum, each) => sum + sizeOf(each), 0)
    if (size + own > room) close(lastOfPart(shared, room))
    // What is left over may be nearly as much.
    if (size + own > room) close()
    shared.push({ blocks, size: own, order: orderOf(document) })
    size += own
  }
  close()
  return parts
}

/** The blocks of a small document. */
interface Placed {
  blocks: PlacedBlock[]
  size: number
  order: number
}

const orderOf = ({ file }: Document) => hash("sha256", file.id, "buffer").readUInt32BE()

/**
 * How many of these documents make a part of their own. Of those that it may end with, it is the one of lowest order, which has
 * nothing to do with what stands before it: parts that were another ones soon end with the same documents again.
 */
function lastOfPart(documents: readonly Placed[], room: number): number {
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
    const isFull = size + sizeOf(next) > room || (size > room * early && begins(next, before))
    if (before && isFull) {
      parts.push(part)
      part = []
      size = 0
    }
    part.push(next)
    size += sizeOf(next)
  }
  return [...parts, part]
}

/** Whether something of its own begins with a block. */
const begins = ({ block }: PlacedBlock, before: PlacedBlock | undefined) =>
  block.kind === "heading" ||
  (["page", "slide", "sheet"] as const).some((unit) => block.location[unit] !== before?.block.location[unit])

/** Characters below which no text is cut: a model that can't take so few takes none. */
const shortest = 100

/** Two halves of a part that is too much at once; a single block's text is cut itself. null: there is nothing to cut. */
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

/** Never between the halves of a character. */
const splittable = (text: string, at: number) => (/[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at + 1 : at)
