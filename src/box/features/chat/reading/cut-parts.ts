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

const sizeOf = ({ block }: PlacedBlock) => block.text.length + around

/**
 * Cuts documents into parts of about so many characters. Small ones share a part. Which ones, and where a document is cut,
 * depends on as little as can be, so that what was noted of a part still holds when another file changes: which small files
 * end a part is told by their ids.
 */
export function cutParts(documents: readonly Document[], room: number): Part[] {
  const parts: Part[] = []
  const isSmall = ({ blocks }: Document) => charactersOf(blocks) <= room / 2
  const small = documents.filter(isSmall)
  const average = charactersOf(small.flatMap(({ blocks }) => blocks)) / Math.max(1, small.length)
  const each = 2 ** Math.floor(Math.log2(Math.max(1, room / Math.max(1, average))))
  let shared: PlacedBlock[] = []
  let size = 0
  const close = () => {
    if (shared.length > 0) parts.push(shared)
    shared = []
    size = 0
  }
  for (const document of documents) {
    const placed = document.blocks.map((block, index) => ({ document, index, block }))
    if (placed.length === 0) continue
    if (!isSmall(document)) {
      close()
      parts.push(...cut(placed, room))
      continue
    }
    const own = placed.reduce((sum, each) => sum + sizeOf(each), 0)
    if (size + own > room) close()
    shared.push(...placed)
    size += own
    if (endsPart(document, each)) close()
  }
  close()
  return parts
}

const endsPart = ({ file }: Document, each: number) =>
  hash("sha256", file.id, "buffer").readUInt32BE() % each === 0

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
