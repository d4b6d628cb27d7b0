import type { Request, Response } from "express"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import { createSemaphore } from "../../core/waiting/semaphore.ts"
import { waitAtMost } from "../../core/waiting/time-limit.ts"
import { untilClosed } from "./until-closed.ts"

/** In which who reads has long taken megabytes. */
const usualReadingMs = 300

/** Makes answers of megabytes, few at a time. */
export interface LargeAnswers {
  /**
   * Makes an answer once it is its visitor's turn: after the one before was taken, or its client had time to. An answer
   * whose client went away while it waited isn't made.
   */
  make(request: Request, visitor: string, work: () => Promise<void>): Promise<void>
}

/**
 * Each is in memory as rows, as what was checked and as text before its connection takes any of it: a thousand clients may ask
 * at once, and none of them has to read. Other visitors don't wait for them.
 */
export function createLargeAnswers(readingMs: number = usualReadingMs): LargeAnswers {
  const turns = createKeyedLock()
  const places = createSemaphore({ places: () => 2, maxWaiting: 10_000 })
  return {
    make: (request, visitor, work) =>
      turns.run(visitor, async () => {
        await places.run(untilClosed(request), visitor, work)
        if (request.res) await untilTaken(request.res, readingMs)
      }),
  }
}

/** Settles once the client has all of an answer, has gone away, or had time to read it. */
async function untilTaken(response: Response, readingMs: number): Promise<void> {
  if (response.closed) return
  await waitAtMost(readingMs, new Promise((resolve) => response.once("close", resolve)))
}
