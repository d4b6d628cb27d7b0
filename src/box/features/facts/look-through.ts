import type { Coverage } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { isAllThere } from "../../../shared/contract/file-reasons.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { breathe } from "../../core/waiting/breathe.ts"
import type { Block } from "../../parsers/parser.ts"
import { createPlaceCounter } from "./count-places.ts"
import type { FactFile } from "./ports.ts"

export type FileCoverage = Coverage["files"][number]

export interface Looking {
  blocks(): Promise<AsyncIterable<Block[]>>
  /** Gets the blocks one by one, with their numbers, until it answers why that is enough. */
  see(block: Block, number: number): Sentence | null
  signal: AbortSignal
}

/** Goes through a file's text, giving way to other work, and tells how much of it was looked at, or why none was. */
export async function lookThrough(file: FactFile, { blocks, see, signal }: Looking): Promise<FileCoverage> {
  const { id: fileId, name } = file
  const none = { fileId, name, read: 0, of: 0, unit: "part" as const }
  const unread = unreadableOf(file)
  if (unread) return { ...none, skipped: unread.text }
  const places = createPlaceCounter()
  let number = 0
  let hasText = false
  let enough: Sentence | null = null
  try {
    for await (const some of await blocks()) {
      for (const block of some) {
        await breathe()
        signal.throwIfAborted()
        if (!enough && (enough = see(block, number))) places.stop()
        places.see(block)
        hasText ||= block.text.trim() !== ""
        number++
      }
    }
  } catch (error) {
    return { ...none, skipped: goneOrThrow(error).text }
  }
  const lacking = isAllThere(file.reasons) ? null : file.note
  if (!hasText) return { ...none, skipped: file.note ?? sentence("reading.no_text").text }
  const reasons = [enough?.text ?? null, lacking].filter((reason) => reason !== null)
  return { fileId, name, ...places.count(), skipped: reasons.length === 0 ? null : reasons.join(" ") }
}

function unreadableOf({ status, error }: FactFile): Sentence | null {
  if (status === "completed") return null
  if (status === "queued" || status === "processing") return sentence("facts.being_indexed")
  return error === null ? sentence("reading.unreadable") : Sentence.asIs(error)
}

/** Why a file that was there a moment ago isn't read; throws what is no fault of the file. */
function goneOrThrow(error: unknown): Sentence {
  if (error instanceof AppError && error.code === "conflict") return sentence("facts.being_indexed")
  if (error instanceof AppError && error.code === "not_found") return sentence("reading.gone")
  throw error
}
