import type { ApprovalReason, ApprovalDelegation, ChatEvent } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { onBehalfOf } from "../../../core/outbound/on-behalf-of.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { toAppError } from "../../../http/error-response.ts"
import { comparableAddress } from "../../../tools/policy/addresses.ts"
import { decide, type PolicyDecision } from "../../../tools/policy/policy.ts"
import type { MadeFile, Tool, ToolResult } from "../../../tools/tool.ts"
import { TaskWaits, type ParkedTask } from "../approvals/parked-task.ts"
import type { ToolBelt } from "./tool-set.ts"
import type { ToolCallPart } from "./tool-messages.ts"
import { fitResult } from "./fit-result.ts"
import type { TurnContext } from "./call-context.ts"

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

/** What an answer and its tasks have sent out. */
export interface SentOut {
  /** That were opened. */
  addresses: Set<string>
  /** Calls that reached other machines. */
  calls: number
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
  /** Folders that the answer searches. */
  folderIds: readonly string[]
  remembered: Remembered
  /** What the owner decided about calls that waited; each is taken out when it is used. */
  decided: Map<string, Decided>
  limits: ToolLimits
  /** Counted up. */
  spent: Spent
  /** Added to. */
  sent: SentOut
  /** Delegated tasks that wait, by the calls that gave them. */
  tasks: Map<string, ParkedTask>
  keepFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  logger: Logger
}

export interface CallsOutcome {
  waiting: WaitingCall[]
  /** Calls weren't run because the bounds are met. */
  exhausted: boolean
  /** Names of those that would wait and that nobody may be asked about, of delegated tasks too. */
  refused: string[]
}

const mostParts = 20
/** Calls of an answer and all its tasks that reach other machines: each may tell something by what it chooses. */
const mostSent = 16

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
  const outcome: CallsOutcome = { waiting: [], exhausted: false, refused: [] }
  for (const { call, verdict } of judged) {
    const { toolCallId, toolName } = call
    const spentBefore = spent.milliseconds
    let result: ToolResult = { content: { error: "It was stopped." } }
    let hasRun = false
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
    } else if (verdict.verdict === "run" && verdict.reachesOut && run.sent.calls >= mostSent) {
      spent.calls++
      result = { content: { error: usedUp } }
    } else if (verdict.verdict === "run") {
      if (verdict.reachesOut) run.sent.calls++
      const ran = await runOne(run, verdict.tool, call, signal)
      if (ran instanceof TaskWaits) {
        run.tasks.set(toolCallId, ran.task)
        outcome.waiting.push(...ran.waiting)
        outcome.refused.push(...ran.refused)
        continue
      }
      spent.calls++
      outcome.refused.push(...(ran.refused ?? []))
      result = ran
      hasRun = true
    } else {
      if (verdict.verdict === "refuse") outcome.refused.push(toolName)
      spent.calls++
      result = { content: { error: verdict.reason } }
    }
    const { content, parts } = await keepParts(run, result, call)
    if (hasRun) context.addResult(call, content, result.labels)
    const fitted = await fitResult(run.engine, content, spent.tokens)
    spent.tokens += fitted.tokens
    const durationMs = Math.round(spent.milliseconds - spentBefore)
    yield { type: "tool-result", toolCallId, result: fitted.result, ...(durationMs > 0 && { durationMs }) }
    yield* parts
  }
  return outcome
}

const usedUp = `It was not run: an answer and its tasks reach other machines ${mostSent} times at most. Go on without it.`

type Verdict =
  | { verdict: "run"; tool: Tool; reachesOut: boolean }
  | (Pick<WaitingCall, "code" | "reason" | "identity"> & { verdict: "ask" })
  | Extract<PolicyDecision, { verdict: "refuse" | "deny" }>

/** Decides about one call. What may run counts as sent for those after it. */
function judge(run: CallRun, { toolCallId, toolName, args }: ToolCallPart): Verdict {
  const { belt, context, remembered, decided, sent } = run
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
  const effects = tool.effects(args)
  const decision = decide({
    standing: belt.standing,
    toolName,
    effects,
    args,
    parameters: tool.parameters,
    addresses,
    knowledge: context,
    opened: sent.addresses,
    remembered: remembered.get(toolName) === identity,
  })
  if (decision.verdict === "refuse" || decision.verdict === "deny") return decision
  if (decision.verdict === "ask" && earlier?.state !== "allowed") {
    const { code, reason } = decision
    return { verdict: "ask", code, reason, identity }
  }
  for (const address of addresses ?? []) sent.addresses.add(comparableAddress(address))
  return { verdict: "run", tool, reachesOut: effects.includes("egress") }
}

async function runOne(
  { userId, chatId, folderIds, limits, spent, logger }: CallRun,
  tool: Tool,
  { toolCallId, args }: ToolCallPart,
  signal: AbortSignal,
): Promise<ToolResult | TaskWaits> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(Math.ceil(limits.milliseconds - spent.milliseconds))
  const ending = AbortSignal.any([signal, timeout])
  try {
    const context = { userId, chatId, toolCallId, folderIds, signal: ending }
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
