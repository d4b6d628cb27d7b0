import type { EngineMessage } from "../engine.ts"

export interface FittedHistory<Prompt> {
  messages: EngineMessage[]
  prompt: Prompt
  /** How many of the oldest messages were left out. */
  dropped: number
}

export interface PromptMeter<Prompt> {
  /** The exact tokens of the prompt made of these messages. */
  render(messages: EngineMessage[]): Prompt
  /** About how many tokens one message adds. */
  estimate(message: EngineMessage): number
}

/**
 * Leaves out the oldest turns until the rest fits, but never a system message nor the newest user message and what
 * follows it. Returns null when that alone is too long.
 *
 * Turns go in steps of a quarter of the room: a conversation that grows over its limit keeps the same beginning for
 * several turns, so that what is evaluated stays reusable.
 */
export function fitHistory<Prompt extends { length: number }>(
  messages: EngineMessage[],
  room: number,
  meter: PromptMeter<Prompt>,
): FittedHistory<Prompt> | null {
  const whole = meter.render(messages)
  if (whole.length <= room) return { messages, prompt: whole, dropped: 0 }

  const step = Math.max(1, Math.floor(room / 4))
  const excess = Math.ceil((whole.length - room) / step) * step
  const turns = splitTurns(messages)
  for (
    let first = firstToKeep(turns, excess, (message) => meter.estimate(message));
    first < turns.length;
    first++
  ) {
    const kept = new Set(turns.slice(first).flat())
    const rest = messages.filter((message) => message.role === "system" || kept.has(message))
    const prompt = meter.render(rest)
    if (prompt.length <= room) return { messages: rest, prompt, dropped: messages.length - rest.length }
  }
  return null
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

/** Index of the first turn to keep so that about `excess` tokens go, and at least one turn; the last always stays. */
function firstToKeep(
  turns: EngineMessage[][],
  excess: number,
  estimate: (message: EngineMessage) => number,
): number {
  let dropped = 0
  let first = 0
  while (first < turns.length - 1 && dropped < excess) {
    for (const message of turns[first] ?? []) dropped += estimate(message)
    first++
  }
  return first
}
