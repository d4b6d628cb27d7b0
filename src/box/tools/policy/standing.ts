import type { PermissionMode } from "../../../shared/contract/assistants.ts"

/** The approval mode that applies to the calls of an answer or of a task delegated in it. */
export interface CallPolicy {
  mode: PermissionMode
  /** Why no one is asked; calls that need approval are then refused. Null if the owner is asked. */
  refuses: "approvals" | "bypass" | "dryRun" | null
}

/** Set in a request: whether a call may wait for its owner. In a dry run, no call runs that sends or changes anything. */
export type Approvals = "wait" | "deny" | "dryRun"

export interface CallPolicyInput {
  permissionMode: PermissionMode
  /** Whether the user owns the assistant and has full rights, so that its `bypass` mode applies. */
  mayWaive: boolean
  /** Standing of the answer that delegated the task; null for the user's own question. */
  from: CallPolicy | null
  approvals: Approvals
}

const strictness: readonly PermissionMode[] = ["bypass", "auto", "ask"]

/**
 * An assistant in `bypass` mode asks no one. For a user who may waive approvals every call runs; for anyone else, calls that `auto` would
 * ask about are refused. A task is judged by the stricter of its own mode and its giver's, and is refused if either is.
 */
export function combineStanding({ permissionMode, mayWaive, from, approvals }: CallPolicyInput): CallPolicy {
  const isForeign = permissionMode === "bypass" && !mayWaive
  const own = isForeign ? "auto" : permissionMode
  const given = from?.mode ?? "bypass"
  return {
    mode: strictness.indexOf(given) > strictness.indexOf(own) ? given : own,
    refuses: from?.refuses ?? chooseRefusal(approvals, isForeign),
  }
}

function chooseRefusal(approvals: Approvals, isForeign: boolean): CallPolicy["refuses"] {
  if (approvals === "dryRun") return "dryRun"
  return approvals === "deny" ? "approvals" : isForeign ? "bypass" : null
}
