import type { Coverage } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { isAllThere, reasonSentence } from "../../../shared/contract/file-reasons.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Returns why a file has no text; null if it may have some. */
export function whyUnreadable(file: Pick<FileEntry, "status" | "error" | "reasons">): Sentence[] | null {
  const { status, error } = file
  if (status === "completed") return null
  if (status === "queued" || status === "processing") return [sentence("reading.being_indexed")]
  return error === null ? [sentence("reading.unreadable")] : getWords(file, error)
}

/** Returns what is missing from a file's text. */
export function getMissing(file: Pick<FileEntry, "note" | "reasons">, hasText: boolean): Sentence[] {
  if (hasText && isAllThere(file.reasons)) return []
  const note = file.note === null ? [] : getWords(file, file.note)
  return hasText || note.length > 0 ? note : [sentence("reading.no_text")]
}

/** Returns a file's note or error, as separate sentences if its reasons are known. */
const getWords = ({ reasons = [] }: Pick<FileEntry, "reasons">, text: string): Sentence[] =>
  reasons.length > 0 ? reasons.map(reasonSentence) : [Sentence.asIs(text)]

/** Returns why a file that existed a moment ago isn't read; rethrows errors that the file didn't cause. */
export function goneOrThrow(error: unknown): Sentence {
  if (error instanceof AppError && error.code === "conflict") return sentence("reading.changed")
  if (error instanceof AppError && ["not_found", "forbidden"].includes(error.code))
    return sentence("reading.gone")
  throw error
}

/** Returns why a file wasn't read completely, in the form of coverage. */
export function skippedFor(
  reasons: readonly Sentence[],
): Pick<Coverage["files"][number], "skipped" | "sentences"> {
  const sentences = reasons.flatMap(({ field }) => field.sentence ?? [])
  return {
    skipped: reasons.length === 0 ? null : reasons.map(({ text }) => text).join(" "),
    ...(sentences.length > 0 && sentences.length === reasons.length && { sentences }),
  }
}
