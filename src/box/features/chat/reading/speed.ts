import type { ChatEngine } from "../../../engines/engine.ts"
import type { NoteStore } from "./note-store.ts"

/** Parts that are read at the same time: a model on this computer leaves its other places to other chats. */
const atOnce = { local: 1, remote: 2 }
/** Characters a second that one request is taken to read before any was measured. */
const usual = { local: 300, remote: 3_000 }

export const partsAtOnce = ({ model }: Pick<ChatEngine, "model">): number => atOnce[model.kind]

/** A model as its notes are kept and its speed is known. */
export const modelKey = ({ model: { kind, id } }: Pick<ChatEngine, "model">): string => `${kind}/${id}`

/** How long a model needs to read so many characters, by the time it took for the parts before. */
export async function estimateSeconds(
  notes: Pick<NoteStore, "speedOf">,
  engine: Pick<ChatEngine, "model">,
  characters: number,
): Promise<number> {
  const measured = await notes.speedOf(modelKey(engine))
  const perSecond = measured === null ? usual[engine.model.kind] : measured * 1_000
  return Math.max(1, Math.ceil(characters / perSecond / partsAtOnce(engine)))
}
