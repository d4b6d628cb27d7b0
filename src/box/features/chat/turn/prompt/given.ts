import type { MessagePart, Source } from "../../../../../shared/contract/chat.ts"
import { isFolderTool } from "../../../../../shared/contract/tools.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import type { EngineMessage } from "../../../../engines/engine.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { addParts } from "../../tool-calls/call-context.ts"
import { toEngineMessages } from "../../tool-calls/engine-messages.ts"
import { instructionsOf } from "../assistant-tools.ts"
import { buildPrompt, noFacts } from "./prompt.ts"
import type { Turn } from "../turn.ts"
import type { TurnPictures } from "../turn-pictures.ts"
import { foreignText, type TurnTools } from "../turn-tools.ts"

/** What the model is given beside the words of the conversation. */
export interface Given {
  sources: readonly Source[] | null
  pictures: TurnPictures
  /** What it reads of attached files that it isn't given whole. */
  said: readonly string[]
}

/** Passages and pictures are in the prompt, so the model has read them before its first call. */
export function noteRead(turn: Turn, turnTools: TurnTools | null, { sources, pictures, said }: Given): void {
  if (turnTools) {
    addParts(turnTools.context, (sources ?? []).map(toPart))
    if (pictures.size > 0 || said.length > 0) turnTools.context.add(ofFiles)
    for (const { name, text } of [...pictures.values()].flatMap(({ texts }) => texts))
      turnTools.context.addRead(sentence("approvals.file", { name }), text, ofFiles)
  } else noteReadWithoutTools(turn, pictures.size > 0)
}

/** The same of an answer whose model calls nothing, for those that go on after it. */
export function noteReadWithoutTools({ request, progress }: Turn, readsFiles: boolean): void {
  if (progress.labels === null) return
  progress.labels = [
    ...progress.labels,
    ...(request.assistant?.owned === false ? [foreignText] : []),
    ...(readsFiles ? [ofFiles] : []),
  ]
}

/** Of somebody, and private as the folder is that a file lies in. */
const ofFiles: ContextLabel = { trusted: false, private: true }

export function promptOf(
  { request: { assistant, projectInstructions, messages } }: Turn,
  turnTools: TurnTools | null,
  { sources, pictures, said }: Given,
): EngineMessage[] {
  const read = new Map<unknown, EngineMessage[]>(
    messages.map((message, index) => {
      const parts = turnTools?.history[index]?.parts ?? []
      return [message, toEngineMessages(withoutFolderCalls(parts))]
    }),
  )
  return buildPrompt({
    instructions: instructionsOf(assistant, turnTools?.toolSet ?? null, projectInstructions),
    messages,
    sources,
    pictures,
    said,
    facts: turnTools?.facts ?? noFacts,
    expand: (message) => {
      const withCalls = read.get(message) ?? []
      return withCalls.some(({ role }) => role === "tool") ? withCalls : [message]
    },
  })
}

/** What earlier answers found in folders is no more in the prompt than their passages are: its numbers were theirs. */
function withoutFolderCalls(parts: readonly MessagePart[]): MessagePart[] {
  const ofFolders = new Set<string>()
  for (const part of parts)
    if (part.type === "tool-call" && isFolderTool(part.toolName)) ofFolders.add(part.toolCallId)
  return parts.filter((part) => !("toolCallId" in part) || !ofFolders.has(part.toolCallId))
}

const toPart = (source: Source): MessagePart => ({ type: "source", ...source })
