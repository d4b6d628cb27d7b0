import { toAppError } from "../../../http/error-response.ts"
import type { Proposal, ToolResult } from "../../../tools/tool.ts"
import type { WaitingCall } from "../approvals/waiting-call.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import { fitResult } from "./fit-result.ts"
import { judgeCall, type Verdict } from "./judge-call.ts"
import { runCall, storeParts } from "./run-call.ts"
import { TaskWaits } from "./task-waits.ts"
import type { ToolEvent, ToolUse } from "./tool-use.ts"

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
  const judged = calls.map((call) => ({ call, verdict: judgeCall(use, call) }))
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

const usedUp = `It was not run: an answer and its tasks reach other machines ${maxSent} times at most. Go on without it.`
