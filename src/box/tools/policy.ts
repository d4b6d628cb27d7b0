import type { PermissionMode } from "../../shared/contract/assistants.ts"
import type { ApprovalReason } from "../../shared/contract/chat.ts"
import type { ContextLabel, ToolEffect } from "./tool.ts"

/** One call, and all that may decide about it. */
export interface PolicyQuestion {
  mode: PermissionMode
  /** Of this very call, as its tool declares them. */
  effects: readonly ToolEffect[]
  /** Labels of everything the model had read when it made the call. */
  context: readonly ContextLabel[]
  /** Addresses that the call asks for; null when its tool doesn't take addresses. */
  addresses: readonly string[] | null
  /** Addresses that the user wrote or that a search returned, as `comparableAddress` writes them. */
  knownAddresses: ReadonlySet<string>
  /** The user allowed this tool for the rest of the chat. */
  remembered: boolean
}

export type PolicyDecision =
  | { verdict: "run" }
  | { verdict: "ask"; code: ApprovalReason; reason: string }
  | { verdict: "deny"; reason: string }

const knownEffects: ReadonlySet<string> = new Set<ToolEffect>(["read", "write", "egress", "exec"])
const run: PolicyDecision = { verdict: "run" }

/**
 * Decides whether a tool call runs, waits for its owner, or never runs. It is pure: no text that a model reads can
 * change it, and it is the only place that decides.
 *
 * - Effects that aren't declared, or aren't known: never.
 * - `bypass` asks nothing. What tools refuse by themselves (address filter, path jail, sandbox) they refuse all the same.
 * - Addresses neither written by the user nor returned by a search are asked about also when the tool was remembered: a
 *   page or a document that makes them up could write what it read into them.
 * - Remembering a tool answers every other question about it for that chat.
 * - `ask` asks about every call, `auto` about those that `write`.
 * - Text from strangers beside private text could tell the model to carry the private text away, so then `auto` asks
 *   about `egress` too. An address that is known can carry nothing, so it isn't asked about.
 * - `exec` alone can't leak anything, because the sandbox has no network. It is asked about beside foreign and private
 *   text all the same: whoever wrote that text would choose the code that tries the sandbox's walls.
 */
export function decide(question: PolicyQuestion): PolicyDecision {
  const { mode, effects, context, addresses, knownAddresses, remembered } = question
  if (effects.length === 0 || effects.some((effect) => !knownEffects.has(effect)))
    return { verdict: "deny", reason: "The tool doesn't declare what it does, so it is never run." }
  if (mode === "bypass") return run
  const foreign = addresses?.find((address) => !knownAddresses.has(comparableAddress(address)))
  if (remembered && foreign === undefined) return run
  if (mode === "ask")
    return { verdict: "ask", code: "mode", reason: "This assistant asks before it uses any tool." }
  if (foreign !== undefined) {
    const reason = `Neither you nor a search named this address: ${foreign.slice(0, 200)}`
    return { verdict: "ask", code: "address", reason }
  }
  if (effects.includes("write"))
    return { verdict: "ask", code: "write", reason: "It changes something that stays changed." }
  const tainted = context.some(({ trusted }) => !trusted) && context.some((label) => label.private)
  const reaches = (effects.includes("egress") && addresses === null) || effects.includes("exec")
  if (tainted && reaches) {
    const reason =
      "The conversation holds text written by others beside what is yours, and this could carry it out of here."
    return { verdict: "ask", code: "untrusted", reason }
  }
  return run
}

/** An address as it is compared: without its fragment, which is never sent. What is no address compares to itself. */
export function comparableAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.hash = ""
  return url.href
}

const strictness: readonly PermissionMode[] = ["bypass", "auto", "ask"]

/** The mode that asks more. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return strictness.indexOf(one) > strictness.indexOf(other) ? one : other
}
