import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { Spent, WaitingCall } from "../tool-calls/call-tools.ts"
import { openCalls, type ToolCallPart } from "../tool-calls/tool-messages.ts"

/** A delegated task that waits for its owner: all that its assistant needs to go on with it. */
export interface ParkedTask {
  assistantId: string
  /** Its answer so far. */
  parts: MessagePart[]
  spent: Spent
  /** Tasks that it gave to others and that wait, by its calls. */
  tasks: Record<string, ParkedTask>
}

/** Thrown by the tool that delegates: its call has no result yet. */
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

/** Calls without a result, of an answer and of the tasks that it delegated. */
export function unansweredCalls(
  parts: readonly MessagePart[],
  tasks: Readonly<Record<string, ParkedTask>>,
): ToolCallPart[] {
  const delegated = Object.values(tasks).flatMap((task) => unansweredCalls(task.parts, task.tasks))
  return [...openCalls(parts), ...delegated]
}
