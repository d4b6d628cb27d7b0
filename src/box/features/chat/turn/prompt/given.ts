import type { MessagePart, Source } from "../../../../../shared/contract/chat.ts"
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
}

/** Passages and pictures are in the prompt, so the model has read them before its first call. */
export function noteRead(
  { request, progress }: Turn,
  turnTools: TurnTools | null,
  { sources, pictures }: Given,
): void {
  if (turnTools) {
    addParts(turnTools.context, (sources ?? []).map(toPart))
    if (pictures.size > 0) turnTools.context.add(ofFiles)
    for (const { name, text } of [...pictures.values()].flatMap(({ texts }) => texts))
      turnTools.context.addRead(sentence("approvals.file", { name }), text, ofFiles)
  } else if (progress.labels !== null) {
    const { labels } = progress
    progress.labels = [
      ...labels,
      ...(request.assistant?.owned === false ? [foreignText] : []),
      ...(pictures.size > 0 ? [ofFiles] : []),
    ]
  }
}

/** Of somebody, and private as the folder is that a file lies in. */
const ofFiles: ContextLabel = { trusted: false, private: true }

export function promptOf(
  { request: { assistant, messages } }: Turn,
  turnTools: TurnTools | null,
  { sources, pictures }: Given,
): EngineMessage[] {
  const read = new Map<unknown, EngineMessage[]>(
    messages.map((message, index) => [message, toEngineMessages(turnTools?.history[index]?.parts ?? [])]),
  )
  return buildPrompt({
    instructions: assistant === null ? "" : instructionsOf(assistant, turnTools?.toolSet ?? null),
    messages,
    sources,
    pictures,
    facts: turnTools?.facts ?? noFacts,
    expand: (message) => {
      const withCalls = read.get(message) ?? []
      return withCalls.some(({ role }) => role === "tool") ? withCalls : [message]
    },
  })
}

const toPart = (source: Source): MessagePart => ({ type: "source", ...source })
