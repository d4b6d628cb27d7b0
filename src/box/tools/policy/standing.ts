import type { PermissionMode } from "../../../shared/contract/assistants.ts"

/** How calls of an answer, or of a task delegated in it, stand to its user. */
export interface Standing {
  mode: PermissionMode
  /** Why nobody is asked: what would be asked about is refused then. null: its owner is asked. */
  refuses: "approvals" | "bypass" | "dryRun" | null
}

/** Of a request: whether a call may wait for its owner. In a dry run none runs that sends or changes anything. */
export type Approvals = "wait" | "deny" | "dryRun"

export interface StandingInput {
  permissionMode: PermissionMode
  /** The user owns the assistant and acts with full rights, so that its `bypass` counts. */
  mayWaive: boolean
  /** Of whoever gave the task; null for the user's own question. */
  from: Standing | null
  approvals: Approvals
}

const strictness: readonly PermissionMode[] = ["bypass", "auto", "ask"]

/**
 * An assistant in `bypass` prompts nobody: for whoever may waive questions every call runs, for anybody else what `auto`
 * asks about is refused. A task is judged by the mode that asks more, its own or that of who gave it, and is refused where
 * either is.
 */
export function standingOf({ permissionMode, mayWaive, from, approvals }: StandingInput): Standing {
  const isForeign = permissionMode === "bypass" && !mayWaive
  const own = isForeign ? "auto" : permissionMode
  const given = from?.mode ?? "bypass"
  return {
    mode: strictness.indexOf(given) > strictness.indexOf(own) ? given : own,
    refuses: from?.refuses ?? refusalOf(approvals, isForeign),
  }
}

function refusalOf(approvals: Approvals, isForeign: boolean): Standing["refuses"] {
  if (approvals === "dryRun") return "dryRun"
  return approvals === "deny" ? "approvals" : isForeign ? "bypass" : null
}
