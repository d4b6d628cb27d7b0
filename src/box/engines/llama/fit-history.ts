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
  /** How many tokens one message adds at least: those of its text. */
  atLeast(message: EngineMessage): number
}

/**
 * Leaves out the oldest turns until the rest fits, but never a system message nor the newest user message and what
 * follows it. Returns null when that alone is too long.
 *
 * Turns go in steps of a quarter of the room: a conversation that grows over its limit keeps the same beginning for
 * several turns, so that what is evaluated stays reusable. That also bounds the work: rendering is slow, and what
 * can't fit by the length of its texts alone is never rendered.
 */
export function fitHistory<Prompt extends { length: number }>(
  messages: EngineMessage[],
  room: number,
  meter: PromptMeter<Prompt>,
): FittedHistory<Prompt> | null {
  const sizes = new Map(messages.map((message) => [message, meter.atLeast(message)]))
  const sizeOf = (some: readonly EngineMessage[]) =>
    some.reduce((sum, message) => sum + (sizes.get(message) ?? 0), 0)
  const step = Math.max(1, Math.floor(room / 4))
  const turns = splitTurns(messages)
  let first = 0
  for (;;) {
    const kept = new Set(turns.slice(first).flat())
    const rest = messages.filter((message) => message.role === "system" || kept.has(message))
    const size = sizeOf(rest)
    let length = size
    if (size <= room) {
      const prompt = meter.render(rest)
      if (prompt.length <= room) return { messages: rest, prompt, dropped: messages.length - rest.length }
      length = prompt.length
    }
    if (first >= turns.length - 1) return null
    const excess = Math.ceil((length - room) / step) * step
    // The template's own words go with the messages they belong to.
    first = skip(turns, first, (excess * size) / length, sizeOf)
  }
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

/** Index of the first turn to keep so that `excess` tokens more go, and at least one turn; the last always stays. */
function skip(
  turns: EngineMessage[][],
  from: number,
  excess: number,
  sizeOf: (turn: readonly EngineMessage[]) => number,
): number {
  let first = from
  for (let dropped = 0; first < turns.length - 1 && (dropped < excess || first === from); first++) {
    dropped += sizeOf(turns[first] ?? [])
  }
  return first
}
