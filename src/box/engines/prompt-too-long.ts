import { type AppError, invalidField } from "../../shared/contract/errors.ts"

/** What a prompt is made of, with its size. */
export interface PromptPiece {
  name: "instructions" | "folder passages" | "tools" | "message"
  tokens: number
}

type TooLong = (contextSize: number, sizes: string) => string

/** Whole sentences, which the page has in other languages. */
const tooLong: Record<PromptPiece["name"], TooLong> = {
  instructions: (contextSize, sizes) =>
    `The instructions are too long for this model, which holds ${contextSize} tokens (${sizes}). Shorten the instructions, or choose a model that holds more.`,
  "folder passages": (contextSize, sizes) =>
    `The folder passages are too long for this model, which holds ${contextSize} tokens (${sizes}). Shorten the folder passages, or choose a model that holds more.`,
  tools: (contextSize, sizes) =>
    `The tools are too long for this model, which holds ${contextSize} tokens (${sizes}). Shorten the tools, or choose a model that holds more.`,
  message: (contextSize, sizes) =>
    `The message is too long for this model, which holds ${contextSize} tokens (${sizes}). Shorten the message, or choose a model that holds more.`,
}

/** The 400 for a prompt that no history can be left out of any more: names what takes the most, and all sizes. */
export function promptTooLong(contextSize: number, pieces: readonly PromptPiece[]): AppError {
  const filled = pieces.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const longest = filled[0]?.name ?? "message"
  const sizes = filled.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")
  return invalidField("messages", tooLong[longest](contextSize, sizes))
}

/** Texts far over the context aren't counted, which is slow: their size is estimated. */
export async function tokensOf(
  text: string,
  contextSize: number,
  count: (text: string) => number | Promise<number>,
): Promise<number> {
  return text.length > 16 * contextSize ? Math.round(text.length / 4) : count(text)
}
