import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { onBehalfOf } from "../../../core/async-context.ts"
import { unlessAborted } from "../../../core/waiting/abort-and-timeout.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { toAppError } from "../../../http/error-response.ts"
import { toComparableAddress } from "../../../tools/policy/addresses.ts"
import { decide, type PolicyDecision, type Pause } from "../../../tools/policy/policy.ts"
import type { MadeFile, ToolContext, Tool, ToolResult, Proposal } from "../../../tools/tool.ts"
import type { Decision, RememberedTools, WaitingCall } from "../approvals/approval-store.ts"
import { type ParkedTask, type Spent, TaskWaits } from "../approvals/parked-turns.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { CallContext } from "./call-context.ts"
import { fitResult } from "./engine-messages.ts"
import type { CallPolicy } from "../../../tools/policy/standing.ts"
import type { ToolSet } from "./tool-set.ts"

/** Limits of one answer: the number of calls and their total run time in milliseconds. */
export interface ToolLimits {
  calls: number
  milliseconds: number
}

/** The data that an answer and its tasks have sent to other machines. */
interface SentOut {
  /** The addresses that were opened. */
  addresses: Set<string>
  /** Number of calls that reached other machines. */
  calls: number
}

/** The progress of an answer's calls, updated while the answer is written. */
export interface ToolProgress {
  /** The owner's decisions about calls that waited. Each is removed when it is used. */
  readonly decisions: Map<string, Decision>
  /** Increased with each call. */
  readonly spent: Spent
  /** Shared by an answer and its tasks, which add to it. */
  readonly sent: SentOut
  /** Delegated tasks that wait, by the calls that started them. */
  readonly tasks: Map<string, ParkedTask>
}

type ToolEvent = Extract<ChatEvent, { type: "tool-result" | "widget" | "chart" | "file" | "source" }>
export type FileEvent = Extract<ToolEvent, { type: "file" }>

/** The dependencies of one answer's calls. */
export interface ToolUse {
  engine: ChatEngine
  toolSet: ToolSet
  /** Returns the permissions that apply to the next calls. */
  standing(): Promise<CallPolicy>
  context: CallContext
  /** The owner of the answer and the folders that it searches. */
  scope: Pick<
    ToolContext,
    "userId" | "chatId" | "messageId" | "author" | "folderIds" | "generated" | "filter" | "staysHere"
  >
  remembered: RememberedTools
  limits: ToolLimits
  progress: ToolProgress
  storeFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  logger: Logger
}

type Verdict =
  | { verdict: "run"; tool: Tool; args: unknown; reachesOut: boolean }
  | (Pause & Pick<WaitingCall, "identity"> & { verdict: "ask" })
  | (Extract<PolicyDecision, { verdict: "refuse" | "deny" }> & { byUser?: true })

/** Judges one call. A call that may run counts as sent for the calls after it. */
function judgeCall(
  use: ToolUse,
  standing: CallPolicy,
  { toolCallId, toolName, args: written }: ToolCallPart,
): Verdict {
  const { toolSet, context, remembered } = use
  const { decisions, sent } = use.progress
  const tool = toolSet.tools.get(toolName)
  if (tool === undefined) {
    const names = [...toolSet.tools.keys()].join(", ")
    return { verdict: "deny", reason: `There is no function ${toolName.slice(0, 100)}. There are: ${names}.` }
  }
  if (typeof written === "string") return { verdict: "deny", reason: "The arguments aren't a JSON object." }
  const earlier = decisions.get(toolCallId)
  const args = earlier?.state === "allowed" ? earlier.args : written
  let addresses: string[] | null
  try {
    tool.check?.(args)
    addresses = tool.addresses?.(args) ?? null
  } catch (error) {
    if (error instanceof AppError) return { verdict: "deny", reason: error.message }
    throw error
  }
  const { identity = "" } = tool
  if (earlier !== undefined && earlier.identity !== identity)
    return {
      verdict: "deny",
      reason: "This function has changed since the user was asked, so it was not run.",
    }
  if (earlier?.state === "denied")
    return { verdict: "deny", reason: "The user didn't allow this call.", byUser: true }
  if (earlier?.state === "expired") {
    return { verdict: "deny", reason: "No one allowed this call in time, so it was not run." }
  }
  const effects = tool.effects(args)
  const decision = decide({
    standing,
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
    return { ...decision, identity }
  }
  for (const address of addresses ?? []) sent.addresses.add(toComparableAddress(address))
  return { verdict: "run", tool, args, reachesOut: effects.includes("egress") }
}

/** Maximum number of parts that one result adds to an answer. */
const maxParts = 20

/** Runs one call within the answer's remaining time. A failure becomes the call's result. */
async function runCall(
  { scope, limits, progress: { spent }, logger }: ToolUse,
  tool: Tool,
  { toolCallId, args }: Pick<ToolCallPart, "toolCallId" | "args">,
  signal: AbortSignal,
): Promise<ToolResult | TaskWaits> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(Math.ceil(limits.milliseconds - spent.milliseconds))
  const ending = AbortSignal.any([signal, timeout])
  try {
    const context = { ...scope, toolCallId, signal: ending }
    // doesn't wait for a tool that ignores its signal
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

/** Stores the files of a result and returns it with the parts it adds to the answer, or an error if they can't be stored. */
async function storeParts(
  { storeFile, logger }: ToolUse,
  { content, parts = [] }: ToolResult,
  { toolCallId, toolName }: ToolCallPart,
): Promise<{ content: unknown; parts: ToolEvent[] }> {
  if (parts.length > maxParts)
    logger.warn({ tool: toolName }, "A tool returned too many parts; some are omitted")
  const kept: ToolEvent[] = []
  try {
    for (const part of parts.slice(0, maxParts)) {
      if (part.type === "source") kept.push(part)
      else kept.push("bytes" in part ? await storeFile(part, toolCallId) : { ...part, toolCallId })
    }
    return { content, parts: kept }
  } catch (error) {
    const { message } = toAppError(error, logger)
    return { content: { error: `Its result couldn't be stored: ${message}` }, parts: kept }
  }
}

export interface CallsOutcome {
  waiting: WaitingCall[]
  /** Whether calls weren't run because the answer reached its limits. */
  exhausted: boolean
  /** Names of calls, including those of delegated tasks, that need an approval that no one may be asked for. */
  refused: string[]
}

/** The result of a call that doesn't wait. */
interface Ended {
  result: ToolResult
  hasRun: boolean
  deniedByUser?: true
}

/**
 * Maximum number of calls to other machines per answer, including all its tasks. Each call may leak something through the model's choice.
 */
const maxSent = 16

/** Runs the calls of one round, one after another. Each gets a result, except those that wait for approval. */
export async function* callTools(
  use: ToolUse,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): AsyncGenerator<ToolEvent, CallsOutcome> {
  const { spent, decisions } = use.progress
  // All calls are judged first: the model wrote them before any result, which therefore can't have influenced them.
  const standing = await use.standing()
  const judged = calls.map((call) => ({ call, verdict: judgeCall(use, standing, call) }))
  for (const { toolCallId } of calls) decisions.delete(toolCallId)
  const outcome: CallsOutcome = { waiting: [], exhausted: false, refused: [] }
  for (const { call, verdict } of judged) {
    const spentBefore = spent.milliseconds
    const ended = signal.aborted
      ? notRun("It was stopped.")
      : await executeCall(use, outcome, call, verdict, signal)
    if (ended === null) continue
    const { content, parts } = await storeParts(use, ended.result, call)
    if (ended.hasRun) use.context.addResult(call, content, ended.result.labels)
    const fitted = await fitResult(use.engine, content, spent.tokens)
    spent.tokens += fitted.tokens
    const durationMs = Math.round(spent.milliseconds - spentBefore)
    const { toolCallId } = call
    yield {
      type: "tool-result",
      toolCallId,
      result: fitted.result,
      ...(durationMs > 0 && { durationMs }),
      ...(ended.deniedByUser && { deniedByUser: true }),
    }
    yield* parts
  }
  return outcome
}

/** Runs a call as far as limits and verdict allow, and returns its result, or null if the call waits. */
async function executeCall(
  use: ToolUse,
  outcome: CallsOutcome,
  call: ToolCallPart,
  verdict: Verdict,
  signal: AbortSignal,
): Promise<Ended | null> {
  const { limits, progress } = use
  const { spent, sent, tasks } = progress
  if (spent.calls + outcome.waiting.length >= limits.calls || spent.milliseconds >= limits.milliseconds) {
    outcome.exhausted = true
    return notRun("It was not run: this answer has used up its tool calls.")
  }
  const proposal = await describeProposal(use, call, verdict)
  if (proposal !== null && "result" in proposal) {
    spent.calls++
    return proposal
  }
  if (verdict.verdict === "ask") {
    const summary = proposal?.summary
    const asked = proposal && {
      ...(summary && { reason: summary.text, ...summary.field }),
      args: proposal.args,
    }
    outcome.waiting.push({ call, ...verdict, ...asked })
    return null
  }
  if (verdict.verdict === "run" && !(verdict.reachesOut && sent.calls >= maxSent)) {
    if (verdict.reachesOut) sent.calls++
    const ran = await runCall(use, verdict.tool, { ...call, args: verdict.args }, signal)
    if (ran instanceof TaskWaits) {
      tasks.set(call.toolCallId, ran.task)
      outcome.waiting.push(...ran.waiting)
      outcome.refused.push(...ran.refused)
      return null
    }
    spent.calls++
    outcome.refused.push(...(ran.refused ?? []))
    return { result: ran, hasRun: true }
  }
  spent.calls++
  if (verdict.verdict === "refuse") outcome.refused.push(call.toolName)
  if (verdict.verdict === "run") return notRun(usedUp)
  if (proposal?.summary) return notRun(`${proposal.summary.text} ${verdict.reason}`)
  return { ...notRun(verdict.reason), ...(verdict.byUser && { deniedByUser: true }) }
}

/** For a call that needs approval, returns what it would do, if its tool can describe that, or why it can't be done. */
async function describeProposal(
  { toolSet, scope, logger }: ToolUse,
  { toolCallId, toolName, args }: ToolCallPart,
  { verdict }: Verdict,
): Promise<Proposal | Ended | null> {
  const tool = verdict === "ask" || verdict === "refuse" ? toolSet.tools.get(toolName) : undefined
  if (!tool?.proposal) return null
  try {
    return await tool.proposal(args, { ...scope, toolCallId, isAsked: verdict === "ask" })
  } catch (error) {
    return notRun(toAppError(error, logger).message)
  }
}

const notRun = (error: string): Ended => ({ result: { content: { error } }, hasRun: false })

const usedUp = `It was not run: an answer and its tasks reach other machines ${maxSent} times at most. Continue without it.`
