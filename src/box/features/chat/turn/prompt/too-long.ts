import { type AppError, FieldIssue } from "../../../../../shared/contract/errors.ts"
import {
  type ChatEngine,
  type EngineFunction,
  type EngineMessage,
  promptTooLong,
  countTokens,
  type PromptPiece,
} from "../../../../engines/engine.ts"
import { endOfPassages } from "../../grounding/cite-passages.ts"

/**
 * Returns an error that names the part of a refused prompt that is too long. Returns the original error if the engine had another reason.
 */
export async function nameTooLong(
  error: AppError,
  engine: ChatEngine,
  prompt: readonly EngineMessage[],
  functions: readonly EngineFunction[],
): Promise<AppError> {
  const { contextSize } = engine.model
  const newest = prompt.findLast(({ role }) => role === "user")?.content ?? ""
  const cut = newest.lastIndexOf(endOfPassages)
  const passages = cut === -1 ? "" : newest.slice(0, cut + endOfPassages.length)
  const texts: Record<PromptPiece["name"], string> = {
    instructions: prompt.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n"),
    "folder passages": passages,
    tools: functions.length === 0 ? "" : JSON.stringify(functions),
    message: newest.slice(passages.length),
  }
  const pieces: PromptPiece[] = []
  for (const name of ["instructions", "folder passages", "tools", "message"] as const) {
    const text = texts[name]
    pieces.push({ name, tokens: text === "" ? 0 : await countTokens(text, contextSize, engine.countTokens) })
  }
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  const issues = FieldIssue.array().safeParse(error.details)
  const isLength = issues.data?.[0]?.field === "messages" || total > contextSize
  return isLength ? promptTooLong(contextSize, pieces) : error
}
