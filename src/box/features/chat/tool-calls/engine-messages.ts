import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { newId } from "../../../core/ids.ts"
import type { EngineMessage, EngineToolCall, ChatEngine } from "../../../engines/engine.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"

interface Round {
  content: string
  calls: EngineToolCall[]
  hasResults: boolean
}

/**
 * Returns an answer as the model reads it: its text, calls and results, round by round. It stays the same while the answer grows and when
 * it is read back, so that the engine can reuse its cache.
 */
export function toEngineMessages(parts: readonly MessagePart[]): EngineMessage[] {
  const results = new Map(
    parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part.result]] : [])),
  )
  const rounds: Round[] = []
  const nextRound = (): Round => {
    const round = { content: "", calls: [], hasResults: false }
    rounds.push(round)
    return round
  }
  for (const part of parts) {
    const last = rounds.at(-1)
    if (part.type === "text") {
      const round = last === undefined || last.calls.length > 0 ? nextRound() : last
      round.content += part.text
    } else if (part.type === "tool-call") {
      const round = last === undefined || last.hasResults ? nextRound() : last
      round.calls.push({
        toolCallId: part.toolCallId,
        name: part.toolName,
        // Model servers refuse a history whose arguments aren't JSON.
        args: JSON.stringify(typeof part.args === "string" ? { text: part.args } : (part.args ?? {})),
      })
    } else if (part.type === "tool-result" && last !== undefined) last.hasResults = true
  }
  return rounds.flatMap(({ content, calls }): EngineMessage[] => [
    { role: "assistant", content, ...(calls.length > 0 ? { toolCalls: calls } : {}) },
    ...calls.map(({ toolCallId }) => ({
      role: "tool" as const,
      toolCallId,
      content: resultText(results.has(toolCallId) ? results.get(toolCallId) : notRun),
    })),
  ])
}

const notRun = { error: "There is no result: it was stopped or interrupted." }

/** Returns a result as the model reads it. */
export const resultText = (result: unknown): string =>
  typeof result === "string" ? result : (JSON.stringify(result) ?? "null")

/** Maximum share of the context window for one result, and for all results of one answer. */
const resultShare = 1 / 8
const answerShare = 1 / 4
/** Minimum number of tokens for a result, enough for an error. */
const minTokens = 64
const charactersPerToken = 4

export interface FittedResult {
  result: unknown
  tokens: number
}

/** Returns how many tokens the next result may have, given those already spent. */
export const roomForResult = ({ model: { contextSize } }: ChatEngine, spentTokens: number): number =>
  Math.max(
    minTokens,
    Math.floor(Math.min(contextSize * resultShare, contextSize * answerShare - spentTokens)),
  )

/** Returns a tool's result as it is stored and sent to the model: plain JSON, cut to the available context, with a note if it was cut. */
export async function fitResult(
  engine: ChatEngine,
  content: unknown,
  spentTokens: number,
): Promise<FittedResult> {
  const allowed = roomForResult(engine, spentTokens)
  const result = toJson(content)
  const whole = resultText(result)
  // Counting is slow, so texts that are far too long are cut first.
  let text = whole.slice(0, allowed * charactersPerToken * 4)
  let tokens = await engine.countTokens(text)
  if (tokens <= allowed && text.length === whole.length) return { result, tokens }
  while (tokens > allowed && text !== "") {
    text = text.slice(0, Math.floor(text.length * Math.min(0.9, allowed / tokens)))
    tokens = await engine.countTokens(text)
  }
  const cut = text.replace(/[\uD800-\uDBFF]$/, "")
  return {
    result: `${cut}\n[Cut here: ${cut.length} of ${whole.length} characters, for lack of room.]`,
    tokens: tokens + 24,
  }
}

function toJson(content: unknown): unknown {
  if (typeof content === "string") return content.toWellFormed()
  try {
    return JSON.parse(JSON.stringify(content) ?? "null")
  } catch {
    return { error: "The tool's result can't be written as JSON." }
  }
}

const maxLength = 200_000
/** Maximum nesting depth. Deeper values can be parsed but not serialised, so the answer couldn't be stored. */
const maxDepth = 100

/** Parses a model's tool arguments. Returns the object in the text, or the text itself if it contains no usable object. */
export function parseArgs(text: string): unknown {
  if (text.length > maxLength) return text.slice(0, maxLength)
  if (isTooDeep(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString && character === "\\") at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    if (depth > maxDepth) return true
  }
  return false
}

const maxNameLength = 200
const callId = /^(?!__proto__$)[\w-]{1,100}$/

/**
 * Returns a call as its answer stores it. A remote model may reuse an ID or send one that isn't valid in a URL; such a call gets an ID from
 * the box. If `usedIds` is null, every call does.
 */
export function toCallPart(
  { toolCallId, name, args }: EngineToolCall,
  usedIds: Set<string> | null,
): ToolCallPart {
  const isFree = usedIds !== null && callId.test(toolCallId) && !usedIds.has(toolCallId)
  const id = isFree ? toolCallId : `call_${newId()}`
  usedIds?.add(id)
  return { type: "tool-call", toolCallId: id, toolName: name.slice(0, maxNameLength), args: parseArgs(args) }
}
