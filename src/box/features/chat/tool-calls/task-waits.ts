import type { ParkedTask } from "../approvals/parked-turn.ts"
import type { WaitingCall } from "../approvals/waiting-call.ts"

/** Thrown by the delegating tool while its task waits for approval. Its call has no result yet. */
export class TaskWaits extends Error {
  override readonly name = "TaskWaits"
  readonly task: ParkedTask
  readonly waiting: readonly WaitingCall[]
  readonly refused: readonly string[]

  constructor(task: ParkedTask, waiting: readonly WaitingCall[], refused: readonly string[]) {
    super("A delegated task waits for its owner.")
    this.task = task
    this.waiting = waiting
    this.refused = refused
  }
}
