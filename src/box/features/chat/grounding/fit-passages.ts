import type { ChatEngine } from "../../../engines/engine.ts"

/** Maximum share of the model's context for passages and the newest message together. */
const contextShare = 0.5

/** The other parts of a prompt besides the passages. */
export interface Surroundings {
  newest: string
  /** Text that is never left out: an assistant's instructions and system messages. */
  instructions: string
  /** Share of the context for passages and the newest message together; half by default. */
  share?: number | undefined
}

/** Returns the maximum number of tokens for passages that leaves enough of the model's context for the chat and the answer. */
export async function roomForPassages(
  engine: ChatEngine,
  { newest, instructions, share = contextShare }: Surroundings,
): Promise<number> {
  const [question, always] = await Promise.all([engine.countTokens(newest), engine.countTokens(instructions)])
  const { contextSize } = engine.model
  const promptRoom = Math.floor(contextSize * (1 - answerShare)) - always - tokensOfRules
  return Math.min(Math.floor(contextSize * share), promptRoom) - question - tokensAround
}

export interface Fitting<P> {
  taken: P[]
  /** Remaining tokens. */
  room: number
}

/** Returns the passages that fit, best first. */
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

/** Share of the context reserved for the answer, however long the instructions are. */
const answerShare = 0.25
const tokensOfRules = 150
/** Approximate number of tokens for the tags and the name around a passage. */
const tokensAround = 60
