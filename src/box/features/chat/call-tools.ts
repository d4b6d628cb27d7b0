import type { ApprovalReason, ApprovalDelegation, ChatEvent } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Logger } from "../../core/logger.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import { toAppError } from "../../http/error-response.ts"
import { decide, type PolicyDecision } from "../../tools/policy.ts"
import type { MadeFile, Tool, ToolResult } from "../../tools/tool.ts"
import { TaskWaits, type ParkedTask } from "./parked-task.ts"
import type { ToolBelt } from "./tool-belt.ts"
import type { ToolCallPart } from "./tool-messages.ts"
import { fitResult } from "./tool-output.ts"
import type { TurnContext } from "./turn-context.ts"

/** Bounds of one answer: calls, and milliseconds that they may run together. */
export interface ToolLimits {
  calls: number
  milliseconds: number
}

/** What an answer has used up of its bounds. */
export interface Spent {
  calls: number
  milliseconds: number
  /** Of the context, by results. */
  tokens: number
}

/** What came of a question, and which tool it was about (`Tool.identity`, empty without one). */
export interface Decided {
  state: "allowed" | "denied" | "expired"
  identity: string
}

/** Identities of the tools that the user allowed for the rest of the chat, by name. */
export type Remembered = ReadonlyMap<string, string>

/** A call that waits for its owner. */
export interface WaitingCall {
  call: ToolCallPart
  /** Of its tool, as it was when the question was put. */
  identity: string
  code: ApprovalReason
  reason: string
  /** Set where a delegated task makes it. */
  delegation?: ApprovalDelegation
}

export type ToolEvent = Extract<ChatEvent, { type: "tool-result" | "widget" | "chart" | "file" }>
export type FileEvent = Extract<ToolEvent, { type: "file" }>

export interface CallRun {
  engine: ChatEngine
  belt: ToolBelt
  context: TurnContext
  userId: string
  chatId: string
  remembered: Remembered
  /** What the owner decided about calls that waited; each is taken out when it is used. */
  decided: Map<string, Decided>
  limits: ToolLimits
  /** Counted up. */
  spent: Spent
  /** Delegated tasks that wait, by the calls that gave them. */
  tasks: Map<string, ParkedTask>
  keepFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  logger: Logger
}

export interface CallsOutcome {
  waiting: WaitingCall[]
  /** Calls weren't run because the bounds are met. */
  exhausted: boolean
}

const mostParts = 20

/** Runs the calls of one round, one after another. Each gets a result, but those that wait for their owner. */
export async function* callTools(
  run: CallRun,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): AsyncGenerator<ToolEvent, CallsOutcome> {
  const { context, limits, spent } = run
  // All of them were written before the first result: it can't have changed what the others say.
  const judged = calls.map((call) => ({ call, verdict: judge(run, call) }))
  for (const { toolCallId } of calls) run.decided.delete(toolCallId)
  const outcome: CallsOutcome = { waiting: [], exhausted: false }
  for (const { call, verdict } of judged) {
    const { toolCallId, toolName } = call
    const spentBefore = spent.milliseconds
    let result: ToolResult = { content: { error: "It was stopped." } }
    if (signal.aborted) {
      // Nothing more runs, and nothing waits.
    } else if (
      spent.calls + outcome.waiting.length >= limits.calls ||
      spent.milliseconds >= limits.milliseconds
    ) {
      outcome.exhausted = true
      result = { content: { error: "It was not run: this answer has used up its tool calls." } }
    } else if (verdict.verdict === "ask") {
      outcome.waiting.push({ call, ...verdict })
      continue
    } else {
      const ran =
        verdict.verdict === "run"
          ? await runOne(run, verdict.tool, call, signal)
          : { content: { error: verdict.reason } }
      if (ran instanceof TaskWaits) {
        run.tasks.set(toolCallId, ran.task)
        outcome.waiting.push(...ran.waiting)
        continue
      }
      spent.calls++
      result = ran
    }
    const { content, parts } = await keepParts(run, result, call)
    context.addResult(toolName, content)
    const fitted = await fitResult(run.engine, content, spent.tokens)
    spent.tokens += fitted.tokens
    const durationMs = Math.round(spent.milliseconds - spentBefore)
    yield { type: "tool-result", toolCallId, result: fitted.result, ...(durationMs > 0 && { durationMs }) }
    yield* parts
  }
  return outcome
}

type Verdict =
  | { verdict: "run"; tool: Tool }
  | (Extract<PolicyDecision, { verdict: "ask" }> & { identity: string })
  | Extract<PolicyDecision, { verdict: "deny" }>

function judge(run: CallRun, { toolCallId, toolName, args }: ToolCallPart): Verdict {
  const { belt, context, remembered, decided } = run
  const tool = belt.tools.get(toolName)
  if (tool === undefined) {
    const names = [...belt.tools.keys()].join(", ")
    return { verdict: "deny", reason: `There is no function ${toolName.slice(0, 100)}. There are: ${names}.` }
  }
  if (typeof args === "string") return { verdict: "deny", reason: "The arguments aren't a JSON object." }
  let addresses: string[] | null
  try {
    tool.check?.(args)
    addresses = tool.addresses?.(args) ?? null
  } catch (error) {
    if (error instanceof AppError) return { verdict: "deny", reason: error.message }
    throw error
  }
  const { identity = "" } = tool
  const earlier = decided.get(toolCallId)
  if (earlier !== undefined && earlier.identity !== identity)
    return {
      verdict: "deny",
      reason: "This function has changed since the user was asked, so it was not run.",
    }
  if (earlier?.state === "denied") return { verdict: "deny", reason: "The user didn't allow this call." }
  if (earlier?.state === "expired") {
    return { verdict: "deny", reason: "Nobody allowed this call in time, so it was not run." }
  }
  const decision = decide({
    mode: belt.mode,
    effects: tool.effects(args),
    context: context.labels,
    addresses,
    knownAddresses: context.knownAddresses,
    remembered: remembered.get(toolName) === identity,
  })
  if (decision.verdict === "run") return { verdict: "run", tool }
  if (decision.verdict === "deny") return decision
  return earlier?.state === "allowed" ? { verdict: "run", tool } : { ...decision, identity }
}

async function runOne(
  { userId, chatId, limits, spent, logger }: CallRun,
  tool: Tool,
  { toolCallId, args }: ToolCallPart,
  signal: AbortSignal,
): Promise<ToolResult | TaskWaits> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(Math.ceil(limits.milliseconds - spent.milliseconds))
  const ending = AbortSignal.any([signal, timeout])
  try {
    const context = { userId, chatId, toolCallId, signal: ending }
    return await unlessAborted(
      onBehalfOf({ tool: tool.name }, () => tool.run(args, context)),
      ending,
    )
  } catch (error) {
    if (error instanceof TaskWaits) return error
    if (signal.aborted) return { content: { error: "It was stopped." } }
    if (timeout.aborted) return { content: { error: "It took too long and was stopped." } }
    if (error instanceof AppError && error.code !== "internal") return { content: { error: error.message } }
    logger.error({ err: error, tool: tool.name }, "A tool failed")
    return { content: { error: "The tool failed." } }
  } finally {
    spent.milliseconds += performance.now() - started
  }
}

/** A tool that doesn't listen to its signal isn't waited for. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason as Error)
  signal.addEventListener("abort", onAbort)
  if (signal.aborted) onAbort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", onAbort))
}

/** The result with what it puts into the answer, its files stored; an error when they can't be. */
async function keepParts(
  { keepFile, logger }: CallRun,
  { content, parts = [] }: ToolResult,
  { toolCallId, toolName }: ToolCallPart,
): Promise<{ content: unknown; parts: ToolEvent[] }> {
  if (parts.length > mostParts)
    logger.warn({ tool: toolName }, "A tool made too many parts; some are left out")
  const kept: ToolEvent[] = []
  try {
    for (const part of parts.slice(0, mostParts))
      kept.push("bytes" in part ? await keepFile(part, toolCallId) : { ...part, toolCallId })
    return { content, parts: kept }
  } catch (error) {
    const { message } = toAppError(error, logger)
    return { content: { error: `What it made couldn't be stored: ${message}` }, parts: kept }
  }
}
