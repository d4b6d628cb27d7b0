import { AsyncLocalStorage } from "node:async_hooks"
import { outsideRequests } from "../logging/request-id.ts"

/** Who and what a connection is made for, as far as it is known. */
export interface Cause {
  /** Null: the box by itself. */
  userId: string | null
  chatId: string | null
  assistantId: string | null
  /** Name of the function that a model called. */
  tool: string | null
}

const nobody: Cause = { userId: null, chatId: null, assistantId: null, tool: null }
const causes = new AsyncLocalStorage<Cause>()

/** Does a task whose connections are written down as caused by this; what isn't named stays as it is around it. */
export const onBehalfOf = <T>(cause: Partial<Cause>, task: () => T): T =>
  causes.run({ ...currentCause(), ...cause }, task)

/** Does background work, which is nobody's, however it was woken. */
export const byItself = <T>(task: () => T): T => outsideRequests(() => causes.run(nobody, task))

export const currentCause = (): Cause => causes.getStore() ?? nobody
