import type { ChatEngine } from "../../../../engines/engine.ts"
import type { NoteStore, Speed } from "./note-store.ts"

/** Maximum number of parts read concurrently. A local model keeps its other slots for other chats. */
const concurrency = { local: 1, remote: 2 }
/** Default for an unmeasured model: 3.5 characters per token, and parts of up to 24,000 characters. */
const usual = (charactersPerSecond: number): Speed => ({
  charactersPerMillisecond: charactersPerSecond / 1_000,
  tokensPerCharacter: null,
  largestPart: 24_000,
})
const usualSpeed = { local: usual(300), remote: usual(3_000) }
const usualTokensPerCharacter = 1 / 3.5

export const partsAtOnce = ({ model }: Pick<ChatEngine, "model">): number => concurrency[model.kind]

/** Key of a model in stored notes and speed measurements. */
export const modelKey = ({ model: { kind, id } }: Pick<ChatEngine, "model">): string => `${kind}/${id}`

export interface Cost {
  seconds: number
  /** Tokens sent to the model to read the parts. */
  tokens: number
  isMeasured: boolean
}

/**
 * Estimates the cost of reading a number of characters from the model's previous parts. Combining the notes is a separate request that
 * takes about as long as one part.
 */
export async function estimateCost(
  notes: Pick<NoteStore, "getSpeed">,
  engine: Pick<ChatEngine, "model">,
  characters: number,
): Promise<Cost> {
  const measured = await notes.getSpeed(modelKey(engine))
  const { charactersPerMillisecond, tokensPerCharacter, largestPart } =
    measured ?? usualSpeed[engine.model.kind]
  const work = characters / partsAtOnce(engine) + Math.min(characters, largestPart)
  return {
    seconds: Math.max(1, Math.ceil(work / charactersPerMillisecond / 1_000)),
    tokens: Math.ceil(characters * (tokensPerCharacter ?? usualTokensPerCharacter)),
    isMeasured: measured !== null,
  }
}
