import type { ChatEngine } from "../../../../engines/engine.ts"
import type { NoteStore } from "./note-store.ts"

/** Parts that are read at the same time: a model on this computer leaves its other places to other chats. */
const atOnce = { local: 1, remote: 2 }
/** Characters a second that one request is taken to read before any was measured. */
const usual = { local: 300, remote: 3_000 }

export const partsAtOnce = ({ model }: Pick<ChatEngine, "model">): number => atOnce[model.kind]

/** A model as its notes are kept and its speed is known. */
export const modelKey = ({ model: { kind, id } }: Pick<ChatEngine, "model">): string => `${kind}/${id}`

/** Characters of the largest parts, about. */
const largestPart = 24_000

/**
 * How long a model needs to read so many characters, by the time it took for the parts before. What comes of the parts is put
 * together in a request of its own, which takes about as long as one of them.
 */
export async function estimateSeconds(
  notes: Pick<NoteStore, "speedOf">,
  engine: Pick<ChatEngine, "model">,
  characters: number,
): Promise<{ seconds: number; isMeasured: boolean }> {
  const measured = await notes.speedOf(modelKey(engine))
  const perSecond = measured === null ? usual[engine.model.kind] : measured * 1_000
  const work = characters / partsAtOnce(engine) + Math.min(characters, largestPart)
  return { seconds: Math.max(1, Math.ceil(work / perSecond)), isMeasured: measured !== null }
}
