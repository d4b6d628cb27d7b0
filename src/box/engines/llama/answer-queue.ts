import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Requests that may wait at once, whoever sent them. */
const longestQueue = 64

/** Hands out the places of the context: first come, first served, but no conversation before another's turn. */
export interface AnswerQueue {
  /**
   * Settles with how to give the place back. Throws AppError `rate_limited` when too many wait already, and the
   * signal's reason when it is aborted while waiting.
   */
  enter(conversationKey: string | null, signal: AbortSignal): Promise<() => void>
}

interface Waiting {
  conversationKey: string | null
  admit(): void
}

export function createAnswerQueue(places: () => number): AnswerQueue {
  /** Conversations of the answers that are being generated. */
  const active: (string | null)[] = []
  const waiting: Waiting[] = []

  const admitNext = (): void => {
    while (waiting.length > 0 && active.length < places()) {
      // One with no answer running goes first, so that a conversation that sends many can't hold every place.
      const fair = waiting.findIndex(
        ({ conversationKey }) => conversationKey === null || !active.includes(conversationKey),
      )
      const [next] = waiting.splice(Math.max(fair, 0), 1)
      if (next === undefined) return
      active.push(next.conversationKey)
      next.admit()
    }
  }
  const leave = (conversationKey: string | null): void => {
    active.splice(active.indexOf(conversationKey), 1)
    admitNext()
  }

  return {
    async enter(conversationKey, signal) {
      signal.throwIfAborted()
      if (waiting.length >= longestQueue)
        throw new AppError("rate_limited", sentence("llama.too_many_requests"))
      const admitted = Promise.withResolvers<void>()
      const entry: Waiting = { conversationKey, admit: admitted.resolve }
      const giveUp = (): void => {
        const index = waiting.indexOf(entry)
        if (index === -1) return // admitted in the meantime
        waiting.splice(index, 1)
        admitted.reject(signal.reason as Error)
      }
      waiting.push(entry)
      signal.addEventListener("abort", giveUp)
      admitNext()
      try {
        await admitted.promise
      } finally {
        signal.removeEventListener("abort", giveUp)
      }
      let left = false
      return () => {
        if (left) return
        left = true
        leave(conversationKey)
      }
    },
  }
}
