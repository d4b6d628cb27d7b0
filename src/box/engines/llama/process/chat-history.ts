import type { ChatHistoryItem, ChatModelFunctionCall, ChatModelResponse } from "node-llama-cpp"
import type { EngineFunction, EngineMessage } from "../../engine.ts"

/** Converts the box's messages to node-llama-cpp's history, where calls and their results are part of an answer. */
export function toChatHistory(messages: EngineMessage[], functions: EngineFunction[]): ChatHistoryItem[] {
  const descriptions = new Map(functions.map(({ name, description }) => [name, description]))
  const results = new Map(
    messages.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message.content]] : [])),
  )
  const history: ChatHistoryItem[] = []
  for (const message of messages) {
    if (message.role === "tool") continue
    if (message.role !== "assistant") {
      history.push({ type: message.role, text: message.content })
      continue
    }
    const calls = (message.toolCalls ?? []).map(
      ({ toolCallId, name, args }, index): ChatModelFunctionCall => {
        const description = descriptions.get(name)
        const result = results.get(toolCallId)
        return {
          type: "functionCall",
          name,
          params: parseJson(args),
          result: result === undefined ? undefined : parseJson(result),
          ...(description === undefined ? {} : { description }),
          ...(index === 0 ? { startsNewChunk: true } : {}),
        }
      },
    )
    const response = [...(message.content === "" ? [] : [message.content]), ...calls]
    const last = history.at(-1)
    if (last?.type === "model") last.response.push(...response)
    else history.push({ type: "model", response } satisfies ChatModelResponse)
  }
  return history
}

/** Arguments and results that are valid JSON are passed to the model as JSON, all others as text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export interface FittedHistory<Prompt> {
  messages: EngineMessage[]
  prompt: Prompt
  /** Number of oldest messages that were left out. */
  dropped: number
}

export interface PromptMaker<Prompt> {
  /** Returns the exact tokens of the prompt made from these messages. Slow: it blocks the process. */
  render(messages: EngineMessage[]): Prompt
  /** Runs before each rendering. It lets other work continue, and throws if the answer is no longer wanted. */
  pause(): Promise<void>
}

/**
 * A history above these limits is certainly too long and isn't rendered. Almost no text has such long tokens, and every message adds its
 * own marker tokens.
 */
const maxBytesPerToken = 16
const minTokensPerMessage = 2

/**
 * Leaves out the oldest turns until the rest fits, but never a system message, the newest user message or what follows it. Returns null
 * when those alone are too long.
 *
 * Up to a quarter of the turns that would fit are dropped too. A chat that grows over its limit then keeps the same start for several
 * turns, so the evaluated tokens can be reused.
 */
export async function fitHistory<Prompt extends { length: number }>(
  messages: EngineMessage[],
  room: number,
  { render, pause }: PromptMaker<Prompt>,
): Promise<FittedHistory<Prompt> | null> {
  const turns = splitTurns(messages)
  const fitFrom = async (first: number): Promise<FittedHistory<Prompt> | null> => {
    const kept = new Set(turns.slice(first).flat())
    const rest = messages.filter((message) => message.role === "system" || kept.has(message))
    if (isTooLong(rest, room)) return null
    await pause()
    const prompt = render(rest)
    return prompt.length <= room ? { messages: rest, prompt, dropped: messages.length - rest.length } : null
  }

  const whole = await fitFrom(0)
  if (whole !== null || turns.length < 2) return whole
  let tooEarly = 0
  let first = turns.length - 1
  let fitted = await fitFrom(first)
  if (fitted === null) return null
  while (first - tooEarly > 1) {
    const middle = Math.floor((tooEarly + first) / 2)
    const longer = await fitFrom(middle)
    if (longer === null) tooEarly = middle
    else {
      first = middle
      fitted = longer
    }
  }
  const rounded = roundUp(first, (turns.length - first) / 4)
  return (await fitFrom(rounded)) ?? fitted
}

/** A turn starts with a user message. Messages before the first user message form a separate turn. */
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
  if (messages.length * minTokensPerMessage > room) return true
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return bytes > room * maxBytesPerToken
}

/** Rounds up to a multiple of the largest power of two within `step`, so that similar steps give the same result. */
function roundUp(index: number, step: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(step)))
  return Math.ceil(index / unit) * unit
}
