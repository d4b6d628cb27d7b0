import type { FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import { FieldIssue } from "../../../../shared/contract/errors.ts"
import { isFolderTool } from "../../../../shared/contract/tools.ts"
import {
  type ChatEngine,
  type EngineFinish,
  type EngineFunction,
  type EngineMessage,
  isRefusal,
} from "../../../engines/engine.ts"
import type { WaitingCall } from "../approvals/approval-store.ts"
import { callTools, type ToolUse } from "../tool-calls/call-tools.ts"
import { toEngineMessages, toCallPart } from "../tool-calls/engine-messages.ts"
import { openCalls, type ToolCallPart } from "../transcript/message-parts.ts"
import { stayingNotice } from "./staying-chats.ts"
import { type LoopEvent, type TurnProgress, addUsage, noUsage } from "./turn.ts"
import { createNotice } from "../../../../shared/sentences/sentences.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"

/** The input of the model's part of an answer. */
export interface ModelLoop {
  engine: ChatEngine
  /** All messages before the answer. */
  prompt: EngineMessage[]
  conversationKey: string
  /**
   * IDs of earlier calls in the chat, which must not be reused. null for a delegated task: its calls are listed with those of the
   * delegating assistant, so none keeps the ID that the model chose.
   */
  usedCallIds: ReadonlySet<string> | null
  /** null: the model has no tools. */
  tools: ToolUse | null
  progress: Pick<TurnProgress, "parts" | "labels">
  /** Returns whether the model may receive the answer so far. Called before each model request. */
  mayBeSent(): Promise<boolean>
}

interface LoopState {
  /** The answer as the model reads it in its next round. */
  parts: MessagePart[]
  usage: Usage
  usedIds: Set<string> | null
  /** Number of characters generated so far, including reasoning. */
  characters: number
  readonly tooLong: AbortController
}

interface End {
  finishReason: FinishReason
  waiting: WaitingCall[]
}

/** Maximum number of characters of an answer, including reasoning, because a remote engine might never stop. */
const maxAnswerLength = 2_000_000

/** Runs the model and its tools, round by round, until the answer is done, stopped, over its limits or waiting. */
export async function* runModelLoop(loop: ModelLoop, signal: AbortSignal): AsyncGenerator<LoopEvent> {
  const { tools, progress } = loop
  const state: LoopState = {
    parts: [...progress.parts],
    usage: noUsage,
    usedIds: loop.usedCallIds && new Set(loop.usedCallIds),
    characters: 0,
    tooLong: new AbortController(),
  }
  if (tools !== null) progress.labels = tools.context.labels
  let calls = openCalls(state.parts)
  for (let round = 1; ; round++) {
    let end = tools && calls.length > 0 ? yield* useTools(loop, tools, state, calls, signal) : null
    calls = []
    end ??= (await loop.mayBeSent())
      ? yield* speak(loop, state, calls, round, signal)
      : yield* endWithheld(loop)
    if (end !== null) return yield { type: "finish", usage: state.usage, ...end }
  }
}

function* endWithheld({ engine }: ModelLoop): Generator<LoopEvent, End> {
  yield { type: "notice", ...stayingNotice(engine.model.id) }
  return ended("stop")
}

/** Runs the calls of a round. Returns how the answer ends if the calls end it. */
async function* useTools(
  { progress }: ModelLoop,
  tools: ToolUse,
  state: LoopState,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): AsyncGenerator<LoopEvent, End | null> {
  const running = callTools(tools, calls, signal)
  let step = await running.next()
  for (; step.done !== true; step = await running.next()) {
    state.parts.push(step.value)
    // Set before any result is sent.
    progress.labels = tools.context.labels
    yield step.value
  }
  const { waiting, exhausted, refused } = step.value
  if (refused.length > 0) yield { type: "notice", ...refusal([...new Set(refused)]) }
  if (signal.aborted) {
    // It is unknown what an interrupted call has read.
    progress.labels = null
    return ended("aborted")
  }
  if (waiting.length > 0) return ended("tool-calls", waiting)
  if (!exhausted) return null
  yield { type: "notice", ...createNotice("tool_limit") }
  return ended("tool-calls")
}

/** Sends one model request and collects its calls. Returns how the answer ends if it does. */
async function* speak(
  { engine, prompt, conversationKey, tools, progress }: ModelLoop,
  state: LoopState,
  calls: ToolCallPart[],
  round: number,
  signal: AbortSignal,
): AsyncGenerator<LoopEvent, End | null> {
  const isFirst = round === 1 && progress.parts.length === 0
  const functions = tools?.toolSet.functions(state.parts) ?? []
  const messages = [...prompt, ...toEngineMessages(state.parts)]
  const request = { messages, conversationKey, ...(functions.length > 0 ? { functions } : {}) }
  try {
    for await (const event of engine.generate(request, AbortSignal.any([signal, state.tooLong.signal]))) {
      if (event.type === "start" && event.droppedMessages > 0 && isFirst) {
        yield { type: "notice", ...leftOut(event.droppedMessages) }
      } else if (event.type === "text") {
        append(state.parts, event.text)
        yield { type: "text-delta", textDelta: event.text }
      } else if (event.type === "reasoning") {
        yield { type: "reasoning-delta", textDelta: event.text }
      } else if (event.type === "tool-call" && tools !== null) {
        const call = toCallPart(event, state.usedIds)
        calls.push(call)
        state.parts.push(call)
        yield call
      } else if (event.type === "finish") {
        state.usage = addUsage(state.usage, event.usage)
        if (state.tooLong.signal.aborted) return ended("length")
        if (calls.length === 0 || event.finishReason !== "tool-calls")
          return yield* endExplained(event.finishReason, state.parts)
      }
      if ("text" in event && (state.characters += event.text.length) > maxAnswerLength) state.tooLong.abort()
    }
    return null
  } catch (error) {
    const refused = refusedFunctions(error, functions)
    if (refused.length > 0) {
      for (const { name } of refused) tools?.toolSet.tools.delete(name)
      const named = refused.map(({ name }) => name).filter((name) => !isFolderTool(name))
      if (named.length > 0)
        yield { type: "notice", ...createNotice("tools_left_out", { name: named.join(", ") }) }
      return null
    }
    if (!isRefusal(error)) throw error
    if (isFirst) {
      const { nameTooLong } = await import("./prompt/turn-prompt.ts")
      throw await nameTooLong(error, engine, prompt, functions)
    }
    // The results of this answer have filled the context window, so the answer ends with what it has so far.
    yield { type: "notice", ...createNotice("context_full") }
    return ended("length")
  }
}

/** Returns how an answer ends that the model has ended, with a notice if its text doesn't make that clear. */
function* endExplained(
  reason: EngineFinish["finishReason"],
  parts: readonly MessagePart[],
): Generator<LoopEvent, End> {
  if (reason === "filtered") yield { type: "notice", ...createNotice("content_filter") }
  else if (reason !== "aborted" && !parts.some((part) => part.type === "text" && part.text.trim() !== ""))
    yield { type: "notice", ...createNotice("empty_answer") }
  // A call without tools isn't a call.
  return ended(reason === "filtered" || reason === "tool-calls" ? "stop" : reason)
}

const ended = (finishReason: FinishReason, waiting: WaitingCall[] = []): End => ({ finishReason, waiting })

/** Returns the tools that the engine refused before it wrote anything: the one with the refused schema, or all. */
function refusedFunctions(error: unknown, functions: readonly EngineFunction[]): readonly EngineFunction[] {
  if (!isRefusal(error)) return []
  const issues = FieldIssue.array().safeParse(error.details)
  const field = issues.data?.[0]?.field ?? ""
  if (field === "tools") return functions
  const index = /^tools\[(\d+)\]/.exec(field)?.[1]
  return index === undefined ? [] : functions.slice(Number(index), Number(index) + 1)
}

const refusal = (tools: string[]) => ({ ...createNotice("call_refused", { tools: tools.join(", ") }), tools })

function append(parts: MessagePart[], text: string): void {
  const last = parts.at(-1)
  // Adds a new part, so that the input parts aren't modified.
  if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + text }
  else parts.push({ type: "text", text })
}

const leftOut = (messages: number): Notice =>
  messages === 1
    ? { ...createNotice("message_left_out"), code: "messages_left_out" }
    : createNotice("messages_left_out", { count: messages })
