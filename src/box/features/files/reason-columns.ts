import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"

/** Of what is missing of a file: a person reads it, and a message with a thousand attachments has much to say. */
const mostReasons = 20
const longestText = 1000

/** Columns that say why a file isn't in the index. */
export const errorColumns = (reason: FileReason) => ({
  error: reasonText(reason),
  note: null,
  reasons: JSON.stringify([reason]),
})

/** Columns that say what is missing of a file, or what it waits for. */
export function noteColumns(reasons: readonly FileReason[]) {
  if (reasons.length === 0) return { note: null, reasons: null }
  const some = reasons.slice(0, mostReasons)
  return { note: some.map(reasonText).join(" ").slice(0, longestText), reasons: JSON.stringify(some) }
}
