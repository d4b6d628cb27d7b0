import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createSemaphore, type Semaphore } from "../../core/waiting/locks.ts"

/** Maximum number of waiting requests in total. */
const maxQueueLength = 64

/**
 * Assigns the slots of the context by conversation key: first come, first served. A conversation without a running answer goes first, so
 * that one with many requests can't hold every slot.
 */
export const createAnswerQueue = (places: () => number): Semaphore<string | null> =>
  createSemaphore({
    places,
    maxWaiting: maxQueueLength,
    tooMany: () => new AppError("rate_limited", sentence("llama.too_many_requests")),
    next: (waiting, active) => waiting.findIndex(({ caller }) => caller === null || !active.includes(caller)),
  })
