import { type AppError, invalidField } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** One part of a prompt, with its size. */
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

/** Returns the 400 error for a prompt that is too long even without any history. It names the largest part and lists all sizes. */
export function promptTooLong(contextSize: number, pieces: readonly PromptPiece[]): AppError {
  const filled = pieces.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const longest = filled[0]?.name ?? "message"
  const sizes = filled.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")
  return invalidField("messages", sentence(tooLong[longest], { count: contextSize, sizes }))
}

/** The size of texts far above the context is estimated, because counting their tokens is slow. */
export async function countTokens(
  text: string,
  contextSize: number,
  count: (text: string) => number | Promise<number>,
): Promise<number> {
  return text.length > 16 * contextSize ? Math.round(text.length / 4) : count(text)
}
