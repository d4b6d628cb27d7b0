import type { Coverage } from "../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { goneOrThrow, getMissing, skippedFor, whyUnreadable } from "../../core/files/unread.ts"
import { yieldToEventLoop } from "../../core/waiting/yield-to-event-loop.ts"
import type { Block } from "../../parsers/parser.ts"

type UnitCoverage = Coverage["files"][number]

/** Counts the units of a document, such as pages, and how many of them were read before reading stopped. */
function createUnitCounter() {
  const last = { page: 0, slide: 0, line: 0 }
  const unitCounts = { page: 0, slide: 0, sheet: 0, line: 0 }
  const sheets = new Set<string>()
  let blocks = 0
  let looked: { at: typeof last; sheets: number; blocks: number } | undefined

  function getUnit(): UnitCoverage["unit"] {
    const sharedUnit = (["page", "slide", "sheet", "line"] as const).find(
      (unit) => unitCounts[unit] === blocks,
    )
    return blocks > 0 && sharedUnit ? sharedUnit : "part"
  }

  function countIn(unit: UnitCoverage["unit"], counted: NonNullable<typeof looked>): number {
    if (unit === "part") return counted.blocks
    return unit === "sheet" ? counted.sheets : counted.at[unit]
  }

  const now = () => ({ at: { ...last }, sheets: sheets.size, blocks })

  return {
    visit({ text, location }: Block): void {
      blocks++
      // Each member of an archive has pages and lines of its own.
      const { page, slide, sheet, line } = location.entry === undefined ? location : {}
      if (page !== undefined) [unitCounts.page, last.page] = [unitCounts.page + 1, Math.max(last.page, page)]
      if (slide !== undefined)
        [unitCounts.slide, last.slide] = [unitCounts.slide + 1, Math.max(last.slide, slide)]
      if (sheet !== undefined) {
        unitCounts.sheet++
        sheets.add(sheet)
      }
      if (line === undefined) return
      unitCounts.line++
      last.line = Math.max(last.line, line + text.split("\n").length - 1)
    },

    /** Later blocks are counted as not read. */
    stop: () => void (looked ??= now()),

    count(): Pick<UnitCoverage, "read" | "of" | "unit"> {
      const unit = getUnit()
      const of = countIn(unit, now())
      return { unit, of, read: looked ? Math.min(of, countIn(unit, looked)) : of }
    },
  }
}

export type FileCoverage = Coverage["files"][number]

export interface CoverageScan {
  blocks(): Promise<AsyncIterable<Block[]>>
  /** Receives the blocks one by one with their numbers, until it returns a reason to stop. */
  visit(block: Block, number: number): Sentence | null
  signal: AbortSignal
}

/** Reads a file's text, yielding to other work, and returns how much of it was read, or why it couldn't be read. */
export async function scanFile(
  file: FactFile,
  { blocks, visit, signal }: CoverageScan,
): Promise<FileCoverage> {
  const { id: fileId, name } = file
  const none = { fileId, name, read: 0, of: 0, unit: "part" as const }
  const unread = whyUnreadable(file)
  if (unread) return { ...none, ...skippedFor(unread) }
  const units = createUnitCounter()
  let number = 0
  let hasText = false
  let stopReason: Sentence | null = null
  try {
    for await (const some of await blocks()) {
      for (const block of some) {
        await yieldToEventLoop()
        signal.throwIfAborted()
        const at = number++
        if (block.location.described) continue // a model's words about an image aren't facts of the document
        if (!stopReason && (stopReason = visit(block, at))) units.stop()
        units.visit(block)
        hasText ||= block.text.trim() !== ""
      }
    }
  } catch (error) {
    return { ...none, ...skippedFor([goneOrThrow(error)]) }
  }
  const missing = getMissing(file, hasText)
  if (!hasText) return { ...none, ...skippedFor(missing) }
  return { fileId, name, ...units.count(), ...skippedFor(stopReason ? [stopReason, ...missing] : missing) }
}

/** The fields of a file that reading it needs. */
export type FactFile = Pick<FileEntry, "id" | "name" | "status" | "error" | "note" | "reasons" | "updatedAt">

/** Files in folders. All methods throw `not_found` or `forbidden` for users who may not see them. */
export interface FactLibrary {
  /** Returns every file of a folder, sorted by ID. */
  files(userId: string, folderId: string): Promise<FactFile[]>
  file(userId: string, folderId: string, fileId: string): Promise<FactFile>
  /** Returns a file's stored text in reading order. Throws `conflict` while it isn't completely indexed. */
  blocks(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
}
