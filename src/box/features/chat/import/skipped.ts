import type { ChatImport } from "../../../../shared/contract/chat-imports.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"

type Skipped = ChatImport["skipped"][number]

const mostSkipped = 1_000
/** Those that are here already are no fault: they leave room for what is. */
const mostKnown = 500
const longestName = 200

/** What an import as a whole failed of. */
export const skippedAll = ({ text, field }: Sentence): Skipped => ({
  what: "import",
  title: null,
  number: null,
  reason: text,
  ...field,
})

/** Notes a chat of an import that wasn't taken over, or not all of it. */
export function skip(
  progress: ChatImport,
  chat: { title: string; number: number },
  reason: Sentence,
  isKnown = false,
): void {
  progress.skippedCount++
  if (progress.skipped.length >= (isKnown ? mostKnown : mostSkipped)) return
  const title = chat.title.toWellFormed().slice(0, longestName) || null
  const what = title ?? `chat ${chat.number}`
  progress.skipped.push({ what, title, number: chat.number, reason: reason.text, ...reason.field })
}
