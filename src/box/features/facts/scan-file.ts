import type { Coverage } from "../../../shared/contract/chat.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { goneOrThrow, getMissing, skippedFor, whyUnreadable } from "../../core/files/unread.ts"
import { yieldToEventLoop } from "../../core/waiting/yield-to-event-loop.ts"
import type { Block } from "../../parsers/parser.ts"
import { createUnitCounter } from "./count-places.ts"
import type { FactFile } from "./ports.ts"

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
  const places = createUnitCounter()
  let number = 0
  let hasText = false
  let stopReason: Sentence | null = null
  try {
    for await (const some of await blocks()) {
      for (const block of some) {
        await yieldToEventLoop()
        signal.throwIfAborted()
        if (!stopReason && (stopReason = visit(block, number))) places.stop()
        places.visit(block)
        hasText ||= block.text.trim() !== ""
        number++
      }
    }
  } catch (error) {
    return { ...none, ...skippedFor([goneOrThrow(error)]) }
  }
  const missing = getMissing(file, hasText)
  if (!hasText) return { ...none, ...skippedFor(missing) }
  return { fileId, name, ...places.count(), ...skippedFor(stopReason ? [stopReason, ...missing] : missing) }
}
