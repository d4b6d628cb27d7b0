import type { AnswerNotice } from "../../../../shared/contract/chat.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { CitedPassage } from "./merge-neighbours.ts"

/** Text of attached files for an answer, placed before the search results. */
export interface AttachedTexts {
  cited: CitedPassage[]
  /** The files that the text comes from. Search results from these files are left out. */
  fileIds: ReadonlySet<string>
  tokens: number
  /** Text for the model about files that it doesn't receive completely. */
  said: string[]
  notices: AnswerNotice[]
}

export interface AttachedReader {
  /** Returns as much as fits the available tokens. */
  fitting(engine: ChatEngine, room: number): Promise<AttachedTexts>
  /** Returns the beginnings of files without search results, for quoting. */
  beginnings(found: readonly Passage[]): Promise<AttachedTexts>
}

export const nothingAttached: AttachedTexts = {
  cited: [],
  fileIds: new Set(),
  tokens: 0,
  said: [],
  notices: [],
}
