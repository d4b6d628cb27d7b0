import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createSemaphore, type Semaphore } from "../../core/waiting/semaphore.ts"

/** Requests that may wait at once, whoever sent them. */
const longestQueue = 64

/**
 * Hands out the places of the context, by the keys of conversations: first come, first served, but no conversation before
 * another's turn. One with no answer running goes first, so that a conversation that sends many can't hold every place.
 */
export const createAnswerQueue = (places: () => number): Semaphore<string | null> =>
  createSemaphore({
    places,
    maxWaiting: longestQueue,
    tooMany: () => new AppError("rate_limited", sentence("llama.too_many_requests")),
    next: (waiting, active) => waiting.findIndex(({ caller }) => caller === null || !active.includes(caller)),
  })
