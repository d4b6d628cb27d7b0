import type { IncomingMessage, ServerResponse } from "node:http"
import type { Request, Response } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { waitAtMost } from "../../core/waiting/abort-and-timeout.ts"
import { createKeyedLock, createSemaphore } from "../../core/waiting/locks.ts"

let turns: Promise<void> = Promise.resolve()

/**
 * Lets one incrementally written answer continue per turn of the event loop. The system accepts megabytes at once, so hundreds of answers
 * would otherwise block all other work.
 */
export function nextTurn(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)))
  return turns
}

/** Event emitted on a response whose client hasn't read what was written so far. */
export const waitsForClient = "waitsForClient"

/** Maximum bytes of all answers and pieces that are created but not yet read by their clients. */
const maxUnsentBytes = 8 * 2 ** 20

export interface UnsentAnswers {
  /** Tracks an answer. If too much is unsent in total, the answers that have waited longest are disconnected. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

/** Limits the memory of unread answers: a list may have megabytes, and a thousand clients may request it. */
export function createUnsentAnswers(max = maxUnsentBytes): UnsentAnswers {
  const unsent = new Map<IncomingMessage, number>()
  let total = 0

  function forget(request: IncomingMessage): void {
    total -= unsent.get(request) ?? 0
    unsent.delete(request)
  }

  function hold(request: IncomingMessage, response: ServerResponse): void {
    forget(request)
    const bytes = unsentBytes(response)
    unsent.set(request, bytes)
    total += bytes
    for (const oldest of unsent.keys()) {
      if (total <= max || oldest === request) break
      forget(oldest)
      oldest.socket.resetAndDestroy()
    }
  }

  return {
    watch(request, response) {
      response.once("close", () => forget(request))
      response.on("drain", () => forget(request))
      response.on(waitsForClient, () => hold(request, response))
      // The answer is fully written, and whatever the connection hasn't accepted is kept in memory.
      response.once("prefinish", () => hold(request, response))
    },
  }
}

/** Returns an upper bound: each character has up to three bytes, and a complete answer has its content length. */
const unsentBytes = (response: ServerResponse): number =>
  Math.min(3 * response.writableLength, Number(response.getHeader("content-length") ?? Infinity))

/** Shared by all requests, because creating an error for each costs more than the rest of its end. */
const callerDisconnected = new AppError("unavailable", sentence("http.caller_gone"))

/** Aborts when the client disconnects or has its answer. */
export function createCloseSignal(request: Request): AbortSignal {
  const closed = new AbortController()
  const { res: response } = request
  if (response?.closed === true) closed.abort(callerDisconnected)
  else response?.once("close", () => closed.abort(callerDisconnected))
  return closed.signal
}

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
  const semaphore = createSemaphore({ slots: () => 2, maxWaiting: 10_000 })
  return {
    make: (request, visitor, work) =>
      turns.run(visitor, async () => {
        await semaphore.run(createCloseSignal(request), visitor, work)
        if (request.res) await waitUntilSent(request.res, readingMs)
      }),
  }
}

/** Resolves when the client has the whole answer, has disconnected, or had time to read it. */
async function waitUntilSent(response: Response, readingMs: number): Promise<void> {
  if (response.closed) return
  await waitAtMost(readingMs, new Promise((resolve) => response.once("close", resolve)))
}
