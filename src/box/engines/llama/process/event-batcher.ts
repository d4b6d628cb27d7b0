import type { ProcessEvent } from "../protocol.ts"

/** Maximum time, in milliseconds, that a generated token waits for further tokens before it is sent. */
const batchMs = 12

export interface EventBatcher {
  push(event: ProcessEvent): void
  flush(): void
}

/**
 * Combines tokens that follow each other quickly into one message. The first token of a burst is sent at once, so batching reduces messages
 * for a fast model and adds no delay for a slow one.
 */
export function createEventBatcher(send: (events: ProcessEvent[]) => void): EventBatcher {
  let pending: ProcessEvent[] = []
  let lastSent = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (pending.length === 0) return
    lastSent = performance.now()
    send(pending)
    pending = []
  }
  return {
    push(event) {
      const last = pending.at(-1)
      if (
        last !== undefined &&
        (last.type === "text" || last.type === "reasoning") &&
        last.type === event.type
      )
        last.text += event.text
      else pending.push({ ...event })
      const wait =
        event.type === "text" || event.type === "reasoning" ? lastSent + batchMs - performance.now() : 0
      if (wait <= 0) flush()
      else timer ??= setTimeout(flush, wait)
    },
    flush,
  }
}
