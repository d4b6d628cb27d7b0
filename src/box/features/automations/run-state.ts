import type { RunStatus } from "../../../shared/contract/automations.ts"

/** What happens to runs: from which states to which; elsewhere it is ignored. */
export const runEvents = {
  /** It is asked. */
  begun: { from: ["queued"], to: "running" },
  /** It asks its owner something. */
  parked: { from: ["running"], to: "waiting" },
  /** Its owner decided. */
  resumed: { from: ["waiting"], to: "running" },
  /** The box ended in the midst of it: it is asked once more. */
  cut: { from: ["running", "waiting"], to: "queued" },
  completed: { from: ["running", "waiting"], to: "completed" },
  failed: { from: ["queued", "running", "waiting"], to: "failed" },
  /** It never began. */
  skipped: { from: ["queued"], to: "skipped" },
  cancelled: { from: ["queued", "running", "waiting"], to: "cancelled" },
} as const satisfies Record<string, { from: readonly RunStatus[]; to: RunStatus }>

export type RunEvent = keyof typeof runEvents

/** States of a run that has come to its end. */
export const ended = ["completed", "failed", "skipped", "cancelled"] as const satisfies readonly RunStatus[]
/** … that has begun, and hasn't. */
export const atWork = ["running", "waiting"] as const satisfies readonly RunStatus[]
