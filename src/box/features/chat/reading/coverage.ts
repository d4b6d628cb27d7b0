import type { Coverage } from "../../../../shared/contract/chat.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { skippedFor } from "../../../core/files/unread.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { Document } from "./documents.ts"

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

/** Returns the unit that all blocks have, otherwise the blocks themselves. */
function getUnit(blocks: readonly Block[]): Unit {
  const told = (["page", "slide", "sheet", "line"] as const).find((unit) =>
    blocks.every(({ location }) => location[unit] !== undefined),
  )
  return blocks.length > 0 && told ? told : "part"
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
