import type { MessagePart, Source } from "../../../../../shared/contract/chat.ts"
import { type AppError, FieldIssue } from "../../../../../shared/contract/errors.ts"
import { isFolderTool } from "../../../../../shared/contract/tools.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import {
  type EngineMessage,
  type ChatEngine,
  type EngineFunction,
  promptTooLong,
  countTokens,
  type PromptPiece,
} from "../../../../engines/engine.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { endOfPassages } from "../../grounding/cite-passages.ts"
import { addParts } from "../../tool-calls/call-context.ts"
import { toEngineMessages } from "../../tool-calls/engine-messages.ts"
import { getInstructions } from "../assistant-tools.ts"
import type { TurnPictures } from "../turn-pictures.ts"
import { foreignText, type TurnTools } from "../turn-tools.ts"
import type { Turn } from "../turn.ts"
import { buildPrompt, createColumnFacts } from "./prompt.ts"

/** The content that the model receives in addition to the messages of the chat. */
export interface Given {
  sources: readonly Source[] | null
  pictures: TurnPictures
  /** Excerpts of attached files that the model doesn't receive as a whole. */
  said: readonly string[]
}

/** Records what the model reads before its first call: passages and images are in the prompt. */
export function noteRead(turn: Turn, turnTools: TurnTools | null, { sources, pictures, said }: Given): void {
  if (turnTools) {
    addParts(turnTools.context, (sources ?? []).map(toPart))
    if (pictures.size > 0 || said.length > 0) turnTools.context.add(fileLabel)
    for (const { name, text } of [...pictures.values()].flatMap(({ texts }) => texts))
      turnTools.context.addRead(sentence("approvals.file", { name }), text, fileLabel)
  } else noteReadWithoutTools(turn, pictures.size > 0)
}

/** Does the same for an answer without tool calls, so that later answers know what it read. */
export function noteReadWithoutTools({ request, progress }: Turn, readsFiles: boolean): void {
  if (progress.labels === null) return
  progress.labels = [
    ...progress.labels,
    ...(request.assistant?.owned === false ? [foreignText] : []),
    ...(readsFiles ? [fileLabel] : []),
  ]
}

/** Written by anyone, and as private as the file's folder. */
const fileLabel: ContextLabel = { trusted: false, private: true }

export function getPrompt(
  { request: { assistant, projectInstructions, messages } }: Turn,
  turnTools: TurnTools | null,
  { sources, pictures, said }: Given,
): EngineMessage[] {
  const read = new Map<unknown, EngineMessage[]>(
    messages.map((message, index) => {
      const parts = turnTools?.history[index]?.parts ?? []
      return [message, toEngineMessages(removeFolderCalls(parts))]
    }),
  )
  return buildPrompt({
    instructions: getInstructions(assistant, turnTools?.toolSet ?? null, projectInstructions),
    messages,
    sources,
    pictures,
    said,
    facts: turnTools?.facts ?? createColumnFacts,
    expand: (message) => {
      const expanded = read.get(message) ?? []
      return expanded.some(({ role }) => role === "tool") ? expanded : [message]
    },
  })
}

/**
 * Removes folder calls of earlier answers. Like their passages, they aren't in the prompt any more, and their numbers applied only to those
 * answers.
 */
function removeFolderCalls(parts: readonly MessagePart[]): MessagePart[] {
  const folderCallIds = new Set<string>()
  for (const part of parts)
    if (part.type === "tool-call" && isFolderTool(part.toolName)) folderCallIds.add(part.toolCallId)
  return parts.filter((part) => !("toolCallId" in part) || !folderCallIds.has(part.toolCallId))
}

const toPart = (source: Source): MessagePart => ({ type: "source", ...source })

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
