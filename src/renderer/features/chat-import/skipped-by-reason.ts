import type { ChatImport } from "../../../shared/contract/chat-imports.ts"

type Skipped = ChatImport["skipped"][number]

export interface SkippedGroup {
  reason: Pick<Skipped, "reason" | "sentence">
  chats: Skipped[]
}

/** Groups the chats that weren't imported, or only in part, by reason. The most frequent reason comes first. */
export function skippedByReason(skipped: readonly Skipped[]): SkippedGroup[] {
  const chats = skipped.filter(({ number }) => number !== null)
  // Sentences with the same code but different figures belong to one group.
  const groups = Map.groupBy(chats, ({ reason, sentence }) => sentence?.code ?? reason)
  return [...groups.values()]
    .flatMap((some) => (some[0] ? [{ reason: some[0], chats: some }] : []))
    .toSorted((one, other) => other.chats.length - one.chats.length)
}

/** Returns why the import as a whole failed. */
export const getFailure = (skipped: readonly Skipped[]): Skipped | undefined =>
  skipped.findLast(({ number }) => number === null)
