import type { Request, Response } from "express"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import { createSemaphore } from "../../core/waiting/semaphore.ts"
import { waitAtMost } from "../../core/waiting/time-limit.ts"
import { createCloseSignal } from "./close-signal.ts"

/** Time in which a client that reads has taken megabytes, in ms. */
const usualReadingMs = 300

/** Creates answers of several megabytes, a few at a time. */
export interface LargeAnswers {
  /**
   * Creates an answer when it is its visitor's turn: after the previous answer was read, or its client had time to read it. Skips an answer
   * whose client disconnects while it waits.
   */
  make(request: Request, visitor: string, work: () => Promise<void>): Promise<void>
}

/**
 * Limits memory. Each answer exists as rows, as a checked value and as text before its connection accepts any of it, and a thousand clients
 * may send requests without reading. Other visitors don't wait for them.
 */
export function createLargeAnswers(readingMs: number = usualReadingMs): LargeAnswers {
  const turns = createKeyedLock()
  const places = createSemaphore({ places: () => 2, maxWaiting: 10_000 })
  return {
    make: (request, visitor, work) =>
      turns.run(visitor, async () => {
        await places.run(createCloseSignal(request), visitor, work)
        if (request.res) await waitUntilSent(request.res, readingMs)
      }),
  }
}

/** Resolves when the client has the whole answer, has disconnected, or had time to read it. */
async function waitUntilSent(response: Response, readingMs: number): Promise<void> {
  if (response.closed) return
  await waitAtMost(readingMs, new Promise((resolve) => response.once("close", resolve)))
}
