import type { AnswerNotice } from "../../../../shared/contract/chat.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { CitedPassage } from "./merge-neighbours.ts"

/** What an answer is given of attached files, ahead of what is found. */
export interface AttachedTexts {
  cited: CitedPassage[]
  /** The files that it is of: nothing else that is found in them is given, too. */
  fileIds: ReadonlySet<string>
  tokens: number
  /** What the model reads of files that it isn't given whole. */
  said: string[]
  notices: AnswerNotice[]
}

export interface AttachedReader {
  /** As much as there is room for. */
  fitting(engine: ChatEngine, room: number): Promise<AttachedTexts>
  /** How files begin in which nothing was found, to be quoted. */
  beginnings(found: readonly Passage[]): Promise<AttachedTexts>
}

export const nothingAttached: AttachedTexts = {
  cited: [],
  fileIds: new Set(),
  tokens: 0,
  said: [],
  notices: [],
}
