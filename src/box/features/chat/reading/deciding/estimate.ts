import type { ReadingEstimate } from "../../../../../shared/contract/chat.ts"
import type { BoxSettings } from "../../../../../shared/contract/settings.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { listFiles, type ReadingLibrary, type ReadingScope } from "../library.ts"
import { type NoteStore, estimateCost } from "../notes/note-store.ts"
import type { PartTask } from "../part-prompt.ts"
import { getOrigin } from "../read-parts.ts"

export interface EstimateDeps {
  library: ReadingLibrary
  notes(): Promise<Pick<NoteStore, "getSpeed" | "remembered">>
  limit(): BoxSettings["wholeLimit"]
}

/** Estimates the cost of reading everything the question is about. Parts with stored notes for the same task aren't read again. */
export async function estimateReading(
  { library, notes, limit }: EstimateDeps,
  engine: ChatEngine,
  scope: ReadingScope,
  task: PartTask | null,
): Promise<Omit<ReadingEstimate, "isDecided">> {
  const { files, readable, characters } = await measureTexts(library, scope)
  const store = await notes()
  const noted = task === null ? 0 : await store.remembered(getOrigin(engine, task), readable)
  const unread = Math.max(0, characters - noted)
  const { seconds, tokens, isMeasured } = await estimateCost(store, engine, unread)
  const most = limit()
  return {
    files: files.length,
    characters,
    estimatedSeconds: seconds,
    estimatedTokens: tokens,
    fits: characters <= most.characters && seconds <= most.minutes * 60,
    isMeasured,
  }
}

/**
 * Returns the files the question is about, those that can be read, and the number of characters in their texts, without opening any text.
 */
export async function measureTexts(library: ReadingLibrary, scope: ReadingScope) {
  const files = await listFiles(library, scope)
  const readable = files.filter(({ status }) => status === "completed")
  const lengths = await library.characters(readable.map(({ id }) => id))
  return { files, readable, characters: [...lengths.values()].reduce((sum, length) => sum + length, 0) }
}
