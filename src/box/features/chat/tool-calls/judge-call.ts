import { AppError } from "../../../../shared/contract/errors.ts"
import { toComparableAddress } from "../../../tools/policy/addresses.ts"
import { decide, type PolicyDecision, type Pause } from "../../../tools/policy/policy.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { WaitingCall } from "../approvals/waiting-call.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { ToolUse } from "./tool-use.ts"

export type Verdict =
  | { verdict: "run"; tool: Tool; args: unknown; reachesOut: boolean }
  | (Pause & Pick<WaitingCall, "identity"> & { verdict: "ask" })
  | (Extract<PolicyDecision, { verdict: "refuse" | "deny" }> & { byUser?: true })

/** Judges one call. A call that may run counts as sent for the calls after it. */
export function judgeCall(use: ToolUse, { toolCallId, toolName, args: written }: ToolCallPart): Verdict {
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
    return { verdict: "deny", reason: "Nobody allowed this call in time, so it was not run." }
  }
  const effects = tool.effects(args)
  const decision = decide({
    standing: toolSet.standing,
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
