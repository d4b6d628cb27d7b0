import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"

/** Limits for the reasons why parts of a file are missing. People read them, and a message with a thousand attachments could have many. */
const maxReasons = 20
const maxTextLength = 1000

/** Columns that record why a file isn't in the index. */
export const errorColumns = (reason: FileReason) => ({
  error: reasonText(reason),
  note: null,
  reasons: JSON.stringify([reason]),
})

/** Columns that record which parts of a file are missing, or what the file waits for. */
export function noteColumns(reasons: readonly FileReason[]) {
  if (reasons.length === 0) return { note: null, reasons: null }
  const some = reasons.slice(0, maxReasons)
  return { note: some.map(reasonText).join(" ").slice(0, maxTextLength), reasons: JSON.stringify(some) }
}
