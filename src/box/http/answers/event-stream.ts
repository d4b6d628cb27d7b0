import type { Response } from "express"
import { processCounts } from "../../core/process-counts.ts"
import { nextTurn } from "./answer-limits.ts"

/** A Server-Sent Events response. */
export interface EventStream {
  /**
   * Writes one event. Clients send `id` back in `Last-Event-ID`. Resolves when the client has read enough of the data, so that a caller who
   * awaits it builds up no backlog.
   */
  send(data: unknown, id?: string | number): Promise<void>
  /** Writes one named event, for clients that use event names. */
  sendNamed(name: string, data: unknown): Promise<void>
  /** Writes a `data:` line that isn't JSON, such as OpenAI's `[DONE]`. */
  sendText(text: string): Promise<void>
  end(): void
  /** Aborted when the client disconnects, stalls or loses its access. */
  readonly closed: AbortSignal
}

/** Maximum characters that wait while the connection is still sending earlier data. */
const maxPending = 8_192
const heartbeatMs = 15_000
/** Events are small and needed at once, so a client that reads none for this long has stalled. In ms. */
const usualStallMs = 30_000

/** Starts an event stream. A comment every 15 s keeps it open through proxies. */
export function openEventStream(response: Response, stallMs: number = usualStallMs): EventStream {
  const gone = new AbortController()
  let pending = ""
  let flushing: Promise<void> | undefined
  let taken = () => {}
  response.status(200)
  response.setHeader("content-type", "text/event-stream; charset=utf-8")
  response.setHeader("cache-control", "no-store, no-transform")
  response.setHeader("x-accel-buffering", "no")
  response.socket?.setNoDelay(true)
  response.setTimeout(stallMs)
  response.flushHeaders()
  processCounts.openStreams++

  const isOver = () => response.writableEnded || response.destroyed
  /** Writes all pending text in one piece each time the connection has accepted the previous one. */
  async function flush(): Promise<void> {
    while (pending !== "" && !isOver()) {
      const text = pending
      pending = ""
      await new Promise<void>((resolve) => {
        taken = resolve
        response.write(text, () => resolve())
      })
      await nextTurn()
    }
    flushing = undefined
  }
  async function write(text: string): Promise<void> {
    if (isOver()) return
    pending += text
    flushing ??= flush()
    if (pending.length > maxPending) await flushing
  }
  const heartbeat = setInterval(() => {
    if (flushing === undefined) void write(": keep-alive\n\n")
  }, heartbeatMs)
  response.once("close", () => {
    processCounts.openStreams--
    clearInterval(heartbeat)
    gone.abort()
    taken()
  })
  return {
    send: (data, id) => write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    sendNamed: (name, data) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    sendText: (text) => write(`data: ${text}\n\n`),
    end() {
      clearInterval(heartbeat)
      response.end(pending)
      pending = ""
    },
    closed: gone.signal,
  }
}
