import type { RunStatus } from "../../../shared/contract/automations.ts"

/** Events of runs, with their source states and target state. In any other state an event is ignored. */
export const runEvents = {
  /** The run's prompt is sent to the model. */
  begun: { from: ["queued"], to: "running" },
  /** The run waits for its owner's decision. */
  parked: { from: ["running"], to: "waiting" },
  /** The owner decided. */
  resumed: { from: ["waiting"], to: "running" },
  /** The box stopped during the run, so the run starts again. */
  cut: { from: ["running", "waiting"], to: "queued" },
  completed: { from: ["running", "waiting"], to: "completed" },
  failed: { from: ["queued", "running", "waiting"], to: "failed" },
  /** The run never started. */
  skipped: { from: ["queued"], to: "skipped" },
  cancelled: { from: ["queued", "running", "waiting"], to: "cancelled" },
} as const satisfies Record<string, { from: readonly RunStatus[]; to: RunStatus }>

export type RunEvent = keyof typeof runEvents

/** States of a run that has ended. */
export const ended = ["completed", "failed", "skipped", "cancelled"] as const satisfies readonly RunStatus[]
/** States of a run that has started but not ended. */
export const active = ["running", "waiting"] as const satisfies readonly RunStatus[]
