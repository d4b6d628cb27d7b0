import type { MessagePart, Source } from "../../../../shared/contract/chat.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ChatEngine, EngineMessage } from "../../../engines/engine.ts"
import type { Toolbox } from "../../../tools/registry.ts"
import type { CallRun } from "../tool-calls/call-tools.ts"
import type { Delegate } from "./delegate.ts"
import { equip, foreignText } from "./turn-tools.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import { groundAnswer } from "../grounding/grounding.ts"
import { instructionsOf } from "./assistant-tools.ts"
import { buildPrompt, noFacts, type Facts } from "./prompt.ts"
import { addParts } from "../tool-calls/call-context.ts"
import { quote } from "../grounding/quote.ts"
import { toEngineMessages } from "../tool-calls/tool-messages.ts"
import type { AnswerEvent, ChatAssistant, Turn } from "./turn.ts"
import { noUsage, runTurn } from "./model-loop.ts"

export interface AnswerDeps {
  engine: ChatEngine | null
  search: SearchFolders
  toolbox: Toolbox
  /** The assistant, if it exists and the user may chat with it. */
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** Assistants that the user may chat with. */
  delegates(userId: string): Promise<Delegate[]>
  /** What is remembered of the user and fits a question. */
  facts(userId: string, question: string): Promise<Facts>
  logger: Logger
}

/** Writes one answer, `finish` last: the folders' passages first, then the model's text and calls, or quotations. */
export async function* writeAnswer(
  deps: AnswerDeps,
  turn: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const engine = turn.modelFailure === null ? deps.engine : null
  const goesOn = turn.parts.length > 0
  if (!goesOn && turn.modelFailure !== null) {
    const message = `${turn.modelFailure} Until then, these are the passages that fit best.`
    yield { type: "notice", code: "model_unavailable", message }
  } else if (!goesOn && !engine) {
    const message =
      "No model is installed, so these are the passages that fit best. Add a model under Settings, Models."
    yield { type: "notice", code: "no_model", message }
  }
  for (const notice of goesOn ? [] : turn.notices) yield { type: "notice", ...notice }
  let sources: readonly Source[] | null = null
  if (turn.vectorIds.length > 0 && goesOn) {
    sources = turn.parts.filter((part) => part.type === "source")
  } else if (turn.vectorIds.length > 0) {
    const hasTools = Object.values(turn.assistant?.builtInTools ?? {}).includes(true)
    const grounds = await unlessAborted(groundAnswer({ ...deps, engine }, { ...turn, hasTools }), signal)
    if (grounds) await turn.keepRetrieval(grounds.retrieval)
    for (const notice of grounds?.notices ?? []) yield { type: "notice", ...notice }
    sources = grounds?.sources ?? []
    for (const source of sources) yield { type: "source", ...source }
  }
  if (!signal.aborted && engine) yield* generate(deps, engine, turn, sources, signal)
  else if (!signal.aborted) yield* quote(sources ?? [], turn.messages)
  else yield { type: "finish", finishReason: "aborted", usage: noUsage, waiting: [] }
}

/** A stop needn't wait for a search, nor for a model that is being loaded. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = Promise.withResolvers<null>()
  const onAbort = () => aborted.resolve(null)
  signal.addEventListener("abort", onAbort)
  if (signal.aborted) onAbort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", onAbort))
}

async function* generate(
  deps: AnswerDeps,
  engine: ChatEngine,
  turn: Turn,
  sources: readonly Source[] | null,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { messages, assistant, conversationKey, parts } = turn
  const answerTask = (task: Turn, taskSignal: AbortSignal) => writeAnswer(deps, task, taskSignal)
  const equipment = assistant && (await unlessAborted(equip({ ...deps, engine, answerTask }, turn), signal))
  if (signal.aborted) return yield { type: "finish", finishReason: "aborted", usage: noUsage, waiting: [] }

  const history = equipment?.history ?? []
  const expanded = new Map<unknown, EngineMessage[]>(
    messages.map((message, index) => [message, toEngineMessages(history[index]?.parts ?? [])]),
  )
  const hasCalls = (spoken: readonly EngineMessage[]) => spoken.some(({ role }) => role === "tool")
  const prompt = buildPrompt({
    instructions: assistant === null ? "" : instructionsOf(assistant, equipment?.belt ?? null),
    messages,
    sources,
    facts: equipment?.facts ?? noFacts,
    expand: (message) => {
      const spoken = expanded.get(message) ?? []
      return hasCalls(spoken) ? spoken : [message]
    },
  })
  const { userId, chatId, decided, limits, spent, sent, tasks, keepFile, keepLabels } = turn
  const tools: CallRun | null = equipment && {
    engine,
    belt: equipment.belt,
    context: equipment.context,
    remembered: equipment.remembered,
    userId,
    chatId,
    folderIds: turn.vectorIds,
    decided,
    limits,
    spent,
    sent,
    tasks,
    keepFile,
    logger: deps.logger,
  }
  // The passages are in the prompt, so the model has read them before its first call.
  if (equipment !== null) addParts(equipment.context, (sources ?? []).map(toPart))
  else if (assistant?.owned === false) keepLabels([foreignText])
  const usedCallIds =
    turn.delegation === null ? new Set(history.flatMap((message) => message.parts.map(callIdOf))) : null
  yield* runTurn({ engine, prompt, conversationKey, parts, usedCallIds, tools, keepLabels }, signal)
}

const toPart = (source: Source): MessagePart => ({ type: "source", ...source })
const callIdOf = (part: MessagePart) => (part.type === "tool-call" ? part.toolCallId : "")
