import type { IncomingMessage, ServerResponse } from "node:http"

/** Event emitted on a response whose client hasn't read what was written so far. */
export const waitsForClient = "waitsForClient"

/** Maximum bytes of all answers and pieces that are created but not yet read by their clients. */
const maxUnsentBytes = 8 * 2 ** 20

export interface UnsentAnswers {
  /** Tracks an answer. If too much is unsent in total, the answers that have waited longest are disconnected. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

/** Limits the memory of unread answers: a list may have megabytes, and a thousand clients may request it. */
export function createUnsentAnswers(most = maxUnsentBytes): UnsentAnswers {
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
      if (total <= most || oldest === request) break
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
