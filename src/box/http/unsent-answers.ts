import type { IncomingMessage, ServerResponse } from "node:http"

/** Of all answers that are complete and that their clients haven't taken yet. */
const mostUnsentBytes = 32 * 2 ** 20

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

  return {
    watch(request, response) {
      response.once("close", () => forget(request))
      // It has been written as a whole by now, and what the connection didn't take is kept in memory.
      response.once("prefinish", () => {
        unsent.set(request, response.writableLength)
        total += response.writableLength
        for (const oldest of unsent.keys()) {
          if (total <= most || oldest === request) break
          forget(oldest)
          oldest.socket.resetAndDestroy()
        }
      })
    },
  }
}
