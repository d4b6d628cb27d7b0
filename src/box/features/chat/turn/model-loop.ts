import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import { AppError, FieldIssue } from "../../../../shared/contract/errors.ts"
import { newId } from "../../../core/ids.ts"
import type {
  ChatEngine,
  EngineFunction,
  EngineMessage,
  EngineToolCall,
  EngineUsage,
} from "../../../engines/engine.ts"
import type { ContextLabel } from "../../../tools/tool.ts"
import { callTools, type CallRun, type WaitingCall } from "../tool-calls/call-tools.ts"
import { parseArgs } from "../tool-calls/parse-args.ts"
import { nameTooLong } from "./too-long.ts"
import { openCalls, toEngineMessages, type ToolCallPart } from "../tool-calls/tool-messages.ts"

/** What the model's part of an answer is made of. */
export interface TurnLoop {
  engine: ChatEngine
  /** Everything up to the answer. */
  prompt: EngineMessage[]
  conversationKey: string
  /** The answer so far, where it goes on after an approval. */
  parts: readonly MessagePart[]
  /**
   * Ids of earlier calls of the conversation, which must not come again. null for a delegated task: its calls stand beside
   * those of who gave it, so none keeps the id that the model chose.
   */
  usedCallIds: ReadonlySet<string> | null
  /** null: the model has no tools. */
  tools: CallRun | null
  /** Keeps with the answer what its model has read, before anything that came of it is told; null: unknown. */
  keepLabels(labels: readonly ContextLabel[] | null): void
}

type Finish = Extract<ChatEvent, { type: "finish" }>

export type LoopEvent =
  | Extract<
      ChatEvent,
      {
        type:
          | "notice"
          | "text-delta"
          | "reasoning-delta"
          | "tool-call"
          | "tool-result"
          | "widget"
          | "chart"
          | "file"
      }
    >
  /** With calls that wait, the turn is to be parked. */
  | (Finish & { waiting: WaitingCall[] })

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
}

/** Characters of an answer, thoughts included; an engine elsewhere could go on for ever. */
const longestAnswer = 2_000_000
const longestName = 200
const callId = /^[\w-]{1,100}$/

/** Lets the model speak and its tools run, in turns, until it is done, stopped, out of bounds or has to wait. */
export async function* runTurn(loop: TurnLoop, signal: AbortSignal): AsyncGenerator<LoopEvent> {
  const { engine, prompt, conversationKey, tools } = loop
  const said: MessagePart[] = [...loop.parts]
  const usedIds = loop.usedCallIds && new Set(loop.usedCallIds)
  const tooLong = new AbortController()
  let length = 0
  let usage = noUsage
  let calls = openCalls(said)
  if (tools !== null) loop.keepLabels(tools.context.labels)
  const finish = (finishReason: FinishReason, waiting: WaitingCall[] = []): LoopEvent => ({
    type: "finish",
    finishReason,
    usage,
    waiting,
  })

  for (let round = 1; ; round++) {
    if (calls.length > 0 && tools !== null) {
      const running = callTools(tools, calls, signal)
      let step = await running.next()
      for (; step.done !== true; step = await running.next()) {
        said.push(step.value)
        loop.keepLabels(tools.context.labels)
        yield step.value
      }
      const { waiting, exhausted, refused } = step.value
      if (refused.length > 0) yield { type: "notice", ...refusal([...new Set(refused)]) }
      if (signal.aborted) {
        // What a call that was cut has read, nobody knows.
        loop.keepLabels(null)
        return yield finish("aborted")
      }
      if (waiting.length > 0) return yield finish("tool-calls", waiting)
      if (exhausted) {
        yield { type: "notice", code: "tool_limit", message: tooMany }
        return yield finish("tool-calls")
      }
    }
    calls = []
    const functions = tools?.belt.functions(said) ?? []
    const request = {
      messages: [...prompt, ...toEngineMessages(said)],
      conversationKey,
      ...(functions.length > 0 ? { functions } : {}),
    }
    try {
      for await (const event of engine.generate(request, AbortSignal.any([signal, tooLong.signal]))) {
        if (event.type === "start" && event.droppedMessages > 0 && round === 1 && loop.parts.length === 0) {
          yield { type: "notice", ...leftOut(event.droppedMessages) }
        } else if (event.type === "text") {
          append(said, event.text)
          yield { type: "text-delta", textDelta: event.text }
        } else if (event.type === "reasoning") {
          yield { type: "reasoning-delta", textDelta: event.text }
        } else if (event.type === "tool-call" && tools !== null) {
          const call = toPart(event, usedIds)
          calls.push(call)
          said.push(call)
          yield call
        } else if (event.type === "finish") {
          usage = add(usage, event.usage)
          if (tooLong.signal.aborted) return yield finish("length")
          if (event.finishReason !== "tool-calls" || calls.length === 0)
            return yield finish(event.finishReason)
        }
        if ("text" in event && (length += event.text.length) > longestAnswer) tooLong.abort()
      }
    } catch (error) {
      const refused = refusedFunction(error, functions)
      if (refused !== null) {
        tools?.belt.tools.delete(refused.name)
        const message = `The tool ${refused.name} was left out: the model engine can't take its description.`
        yield { type: "notice", code: "tools_left_out", message }
        continue
      }
      // The results of this very answer have filled the context: what was said so far is the answer.
      const grown = round > 1 || loop.parts.length > 0
      if (!(error instanceof AppError) || error.code !== "validation") throw error
      if (!grown) throw await nameTooLong(error, engine, prompt, functions)
      yield { type: "notice", code: "context_full", message: contextFull }
      return yield finish("length")
    }
  }
}

/** The function whose schema the engine refused before it said anything. */
function refusedFunction(error: unknown, functions: readonly EngineFunction[]): EngineFunction | null {
  if (!(error instanceof AppError) || error.code !== "validation") return null
  const issues = FieldIssue.array().safeParse(error.details)
  const index = /^tools\[(\d+)\]/.exec(issues.data?.[0]?.field ?? "")?.[1]
  return (index === undefined ? undefined : functions[Number(index)]) ?? null
}

const tooMany =
  "The answer ends here: it has used as many tool calls, or as much time for them, as one answer may."
const contextFull = "The answer ends here: the results of its tools fill the model's context."

function refusal(tools: string[]): { code: string; message: string; tools: string[] } {
  const message = `Nobody could be asked about these calls, so they were not run: ${tools.join(", ")}.`
  return { code: "call_refused", message, tools }
}

function append(parts: MessagePart[], text: string): void {
  const last = parts.at(-1)
  // A part of its own: what was handed in isn't changed.
  if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + text }
  else parts.push({ type: "text", text })
}

/** A model elsewhere may use an id twice, or one that can't stand in an address. */
function toPart({ toolCallId, name, args }: EngineToolCall, usedIds: Set<string> | null): ToolCallPart {
  const isFree = usedIds !== null && callId.test(toolCallId) && !usedIds.has(toolCallId)
  const id = isFree ? toolCallId : `call_${newId()}`
  usedIds?.add(id)
  return { type: "tool-call", toolCallId: id, toolName: name.slice(0, longestName), args: parseArgs(args) }
}

function leftOut(messages: number): { code: string; message: string } {
  const what = messages === 1 ? "The oldest message was" : `The ${messages} oldest messages were`
  return {
    code: "messages_left_out",
    message: `${what} left out: the conversation is longer than the model's context.`,
  }
}

/** Of several rounds: the last prompt, which holds those before, and all that was generated. */
function add(before: Usage, round: EngineUsage): Usage {
  const completionTokens = before.completionTokens + round.completionTokens
  return {
    promptTokens: round.promptTokens,
    completionTokens,
    totalTokens: round.promptTokens + completionTokens,
    firstTokenMs: before.firstTokenMs ?? round.firstTokenMs,
    tokensPerSecond: round.tokensPerSecond ?? before.tokensPerSecond,
  }
}
