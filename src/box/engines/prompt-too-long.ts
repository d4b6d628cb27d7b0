import { type AppError, invalidField } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** What a prompt is made of, with its size. */
export interface PromptPiece {
  name: "instructions" | "folder passages" | "tools" | "message"
  tokens: number
}

const tooLong = {
  instructions: "models.instructions_too_long",
  "folder passages": "models.passages_too_long",
  tools: "models.tools_too_long",
  message: "models.message_too_long",
} as const

/** The 400 for a prompt that no history can be left out of any more: names what takes the most, and all sizes. */
export function promptTooLong(contextSize: number, pieces: readonly PromptPiece[]): AppError {
  const filled = pieces.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const longest = filled[0]?.name ?? "message"
  const sizes = filled.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")
  return invalidField("messages", sentence(tooLong[longest], { count: contextSize, sizes }))
}

/** Texts far over the context aren't counted, which is slow: their size is estimated. */
export async function tokensOf(
  text: string,
  contextSize: number,
  count: (text: string) => number | Promise<number>,
): Promise<number> {
  return text.length > 16 * contextSize ? Math.round(text.length / 4) : count(text)
}
