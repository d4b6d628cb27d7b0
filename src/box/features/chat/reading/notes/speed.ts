import type { ChatEngine } from "../../../../engines/engine.ts"
import type { NoteStore, Speed } from "./note-store.ts"

/** Parts that are read at the same time: a model on this computer leaves its other places to other chats. */
const atOnce = { local: 1, remote: 2 }
/** Of a model of which nothing was measured: a token is taken to have 3.5 characters, the largest parts 24,000. */
const usual = (charactersPerSecond: number): Speed => ({
  charactersPerMillisecond: charactersPerSecond / 1_000,
  tokensPerCharacter: null,
  largestPart: 24_000,
})
const usualSpeed = { local: usual(300), remote: usual(3_000) }
const usualTokensPerCharacter = 1 / 3.5

export const partsAtOnce = ({ model }: Pick<ChatEngine, "model">): number => atOnce[model.kind]

/** A model as its notes are kept and its speed is known. */
export const modelKey = ({ model: { kind, id } }: Pick<ChatEngine, "model">): string => `${kind}/${id}`

export interface Cost {
  seconds: number
  /** Of what the model is sent to read the parts. */
  tokens: number
  isMeasured: boolean
}

/**
 * What it takes a model to read so many characters, by what it took for the parts before. What comes of the parts is put
 * together in a request of its own, which takes about as long as one of them.
 */
export async function estimateCost(
  notes: Pick<NoteStore, "speedOf">,
  engine: Pick<ChatEngine, "model">,
  characters: number,
): Promise<Cost> {
  const measured = await notes.speedOf(modelKey(engine))
  const { charactersPerMillisecond, tokensPerCharacter, largestPart } =
    measured ?? usualSpeed[engine.model.kind]
  const work = characters / partsAtOnce(engine) + Math.min(characters, largestPart)
  return {
    seconds: Math.max(1, Math.ceil(work / charactersPerMillisecond / 1_000)),
    tokens: Math.ceil(characters * (tokensPerCharacter ?? usualTokensPerCharacter)),
    isMeasured: measured !== null,
  }
}
