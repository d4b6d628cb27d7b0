import { AsyncLocalStorage } from "node:async_hooks"
import { outsideRequests } from "../logging/request-id.ts"

/** The user and the work that a connection is made for, as far as known. */
export interface Cause {
  /** Null: the box itself. */
  userId: string | null
  chatId: string | null
  assistantId: string | null
  /** Name of the tool that a model called. */
  tool: string | null
}

const noCause: Cause = { userId: null, chatId: null, assistantId: null, tool: null }
const causes = new AsyncLocalStorage<Cause>()

/** Runs a task and attributes its connections to this cause; fields that aren't given are inherited. */
export const onBehalfOf = <T>(cause: Partial<Cause>, task: () => T): T =>
  causes.run({ ...currentCause(), ...cause }, task)

/** Runs background work that belongs to no user, whatever started it. */
export const runInBackground = <T>(task: () => T): T => outsideRequests(() => causes.run(noCause, task))

export const currentCause = (): Cause => causes.getStore() ?? noCause
