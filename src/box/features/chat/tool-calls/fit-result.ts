import type { ChatEngine } from "../../../engines/engine.ts"
import { resultText } from "./engine-messages.ts"

/** Share of the context that one result may fill, and all results of one answer together. */
const resultShare = 1 / 8
const answerShare = 1 / 4
/** A result may always have this many tokens: enough for an error. */
const fewestTokens = 64
const charactersPerToken = 4

export interface FittedResult {
  result: unknown
  tokens: number
}

/** Tokens that the next result may have, after those before it. */
export const roomForResult = ({ model: { contextSize } }: ChatEngine, spentTokens: number): number =>
  Math.max(
    fewestTokens,
    Math.floor(Math.min(contextSize * resultShare, contextSize * answerShare - spentTokens)),
  )

/** A tool's content as it is stored and read: plain JSON, cut to what the context has room for, which it then says. */
export async function fitResult(
  engine: ChatEngine,
  content: unknown,
  spentTokens: number,
): Promise<FittedResult> {
  const allowed = roomForResult(engine, spentTokens)
  const result = toJson(content)
  const whole = resultText(result)
  // Far too long texts are cut before they are counted, which is slow.
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
