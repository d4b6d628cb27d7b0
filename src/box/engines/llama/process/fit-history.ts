import type { EngineMessage } from "../../engine.ts"

export interface FittedHistory<Prompt> {
  messages: EngineMessage[]
  prompt: Prompt
  /** How many of the oldest messages were left out. */
  dropped: number
}

export interface PromptMaker<Prompt> {
  /** The exact tokens of the prompt made of these messages. Slow: it keeps the process from everything else. */
  render(messages: EngineMessage[]): Prompt
  /** Called before each rendering: lets other work go on, and throws when nobody wants the answer any more. */
  pause(): Promise<void>
}

/**
 * Beyond these a history is too long for certain and isn't rendered: hardly a text has tokens so long, and every
 * message comes with a mark of its own.
 */
const mostBytesPerToken = 16
const fewestTokensPerMessage = 2

/**
 * Leaves out the oldest turns until the rest fits, but never a system message nor the newest user message and what
 * follows it. Returns null when that alone is too long.
 *
 * Up to a quarter of the turns that would fit goes too: a conversation that grows over its limit keeps the same
 * beginning for several turns, so that what is evaluated stays reusable.
 */
export async function fitHistory<Prompt extends { length: number }>(
  messages: EngineMessage[],
  room: number,
  { render, pause }: PromptMaker<Prompt>,
): Promise<FittedHistory<Prompt> | null> {
  const turns = splitTurns(messages)
  const keepFrom = async (first: number): Promise<FittedHistory<Prompt> | null> => {
    const kept = new Set(turns.slice(first).flat())
    const rest = messages.filter((message) => message.role === "system" || kept.has(message))
    if (isTooLong(rest, room)) return null
    await pause()
    const prompt = render(rest)
    return prompt.length <= room ? { messages: rest, prompt, dropped: messages.length - rest.length } : null
  }

  const whole = await keepFrom(0)
  if (whole !== null || turns.length < 2) return whole
  let tooEarly = 0
  let first = turns.length - 1
  let fitted = await keepFrom(first)
  if (fitted === null) return null
  while (first - tooEarly > 1) {
    const middle = Math.floor((tooEarly + first) / 2)
    const longer = await keepFrom(middle)
    if (longer === null) tooEarly = middle
    else {
      first = middle
      fitted = longer
    }
  }
  const rounded = roundUp(first, (turns.length - first) / 4)
  return (await keepFrom(rounded)) ?? fitted
}

/** A turn begins with a user message; what comes before the first one is a turn of its own. */
function splitTurns(messages: EngineMessage[]): EngineMessage[][] {
  const turns: EngineMessage[][] = []
  for (const message of messages) {
    if (message.role === "system") continue
    const current = turns.at(-1)
    if (message.role === "user" || current === undefined) turns.push([message])
    else current.push(message)
  }
  return turns
}

function isTooLong(messages: EngineMessage[], room: number): boolean {
  if (messages.length * fewestTokensPerMessage > room) return true
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return bytes > room * mostBytesPerToken
}

/** The next multiple of the greatest power of two within `step`, so that steps of about the same size agree on it. */
function roundUp(index: number, step: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(step)))
  return Math.ceil(index / unit) * unit
}
