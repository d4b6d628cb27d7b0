import type { ChatImport } from "../../../../shared/contract/chat-imports.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"

type Skipped = ChatImport["skipped"][number]

const maxSkipped = 1_000
/** Limit for chats that are already here. They aren't errors, so space is left for real ones. */
const maxKnown = 500
const maxNameLength = 200

/** The reason why an import failed as a whole. */
export const skippedAll = ({ text, field }: Sentence): Skipped => ({
  what: "import",
  title: null,
  number: null,
  reason: text,
  ...field,
})

/** Records a chat that was not imported, or only in part. */
export function skip(
  progress: ChatImport,
  chat: { title: string; number: number },
  reason: Sentence,
  isKnown = false,
): void {
  progress.skippedCount++
  if (progress.skipped.length >= (isKnown ? maxKnown : maxSkipped)) return
  const title = chat.title.toWellFormed().slice(0, maxNameLength) || null
  const what = title ?? `chat ${chat.number}`
  progress.skipped.push({ what, title, number: chat.number, reason: reason.text, ...reason.field })
}
