import type { ChatEngine } from "../../../engines/engine.ts"
import { resultText } from "./engine-messages.ts"

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
