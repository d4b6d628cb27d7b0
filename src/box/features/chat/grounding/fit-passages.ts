import type { ChatEngine } from "../../../engines/engine.ts"

/** Share of the model's context that passages and the newest message may take together. */
const contextShare = 0.5

/** What else stands in the prompt beside the passages. */
export interface Surroundings {
  newest: string
  /** What is never left out: an assistant's instructions and system messages. */
  instructions: string
  /** Share of the context for passages and the newest message together; half of it unless given. */
  share?: number | undefined
}

/** Tokens that passages may take together: they leave enough of the model's context to the conversation and the answer. */
export async function roomForPassages(
  engine: ChatEngine,
  { newest, instructions, share = contextShare }: Surroundings,
): Promise<number> {
  const [question, always] = await Promise.all([engine.countTokens(newest), engine.countTokens(instructions)])
  const { contextSize } = engine.model
  const besideAnswer = Math.floor(contextSize * (1 - answerShare)) - always - tokensOfRules
  return Math.min(Math.floor(contextSize * share), besideAnswer) - question - tokensAround
}

export interface Fitting<P> {
  taken: P[]
  /** Tokens that are left. */
  room: number
}

/** Those of the passages, best first, for which there is room. */
export async function takeFitting<P extends { text: string }>(
  engine: ChatEngine,
  passages: readonly P[],
  room: number,
): Promise<Fitting<P>> {
  const sizes = await Promise.all(passages.map(({ text }) => engine.countTokens(text)))
  const taken = passages.filter((_, index) => {
    const size = (sizes[index] ?? 0) + tokensAround
    if (size > room) return false
    room -= size
    return true
  })
  return { taken, room }
}

/** Share of the context that stays free for the answer, however long the instructions are. */
const answerShare = 0.25
const tokensOfRules = 150
/** Tokens of the tags and the name around a passage, roughly. */
const tokensAround = 60
