import type { IncomingMessage, ServerResponse } from "node:http"

/** Told of a response of which the client hasn't taken what was written yet. */
export const waitsForClient = "waitsForClient"

/** Of all answers and pieces of answers that are made and that their clients haven't taken yet. */
const mostUnsentBytes = 8 * 2 ** 20

export interface UnsentAnswers {
  /** Keeps an eye on an answer; once too much is unsent in all, those that wait longest are cut off. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

/** Bounds what answers take that nobody reads: a list may have megabytes, and a thousand clients may ask for it. */
export function createUnsentAnswers(most = mostUnsentBytes): UnsentAnswers {
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
      // It has been written as a whole by now, and what the connection didn't take is kept in memory.
      response.once("prefinish", () => hold(request, response))
    },
  }
}

/** Of a text its characters are known, which have up to three bytes, and of a whole answer its length. */
const unsentBytes = (response: ServerResponse): number =>
  Math.min(3 * response.writableLength, Number(response.getHeader("content-length") ?? Infinity))
