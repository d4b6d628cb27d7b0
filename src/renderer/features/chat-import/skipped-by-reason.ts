import type { ChatImport } from "../../../shared/contract/chat-imports.ts"

type Skipped = ChatImport["skipped"][number]

export interface SkippedGroup {
  reason: Pick<Skipped, "reason" | "sentence">
  chats: Skipped[]
}

/** Why chats weren't taken over, or not all of them, the most frequent reason first. */
export function skippedByReason(skipped: readonly Skipped[]): SkippedGroup[] {
  const chats = skipped.filter(({ number }) => number !== null)
  // Sentences with figures of their own belong together, too.
  const groups = Map.groupBy(chats, ({ reason, sentence }) => sentence?.code ?? reason)
  return [...groups.values()]
    .flatMap((some) => (some[0] ? [{ reason: some[0], chats: some }] : []))
    .toSorted((one, other) => other.chats.length - one.chats.length)
}

/** Why the import as a whole failed. */
export const failureOf = (skipped: readonly Skipped[]): Skipped | undefined =>
  skipped.findLast(({ number }) => number === null)
