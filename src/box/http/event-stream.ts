import type { Response } from "express"

/** A Server-Sent Events response. */
export interface EventStream {
  /** Writes one event. `id` is what `Last-Event-ID` brings back. */
  send(data: unknown, id?: string | number): void
  /** Writes a `data:` line that isn't JSON, such as OpenAI's `[DONE]`. */
  sendText(text: string): void
  end(): void
  /** Aborted when the client goes away, stalls or loses its right to listen. */
  readonly closed: AbortSignal
}

/** A client that lets this much pile up is gone or stalled. */
const longestBacklogBytes = 1_000_000
const heartbeatMs = 15_000

/** Starts an event stream; a comment every 15 s keeps it open through proxies. */
export function openEventStream(response: Response): EventStream {
  const gone = new AbortController()
  response.status(200)
  response.setHeader("content-type", "text/event-stream; charset=utf-8")
  response.setHeader("cache-control", "no-store, no-transform")
  response.setHeader("x-accel-buffering", "no")
  response.socket?.setNoDelay(true)
  response.flushHeaders()

  const write = (text: string) => {
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > longestBacklogBytes) response.destroy()
  }
  const heartbeat = setInterval(() => write(": keep-alive\n\n"), heartbeatMs)
  response.once("close", () => {
    clearInterval(heartbeat)
    gone.abort()
  })
  return {
    send: (data, id) => write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    sendText: (text) => write(`data: ${text}\n\n`),
    end() {
      clearInterval(heartbeat)
      response.end()
    },
    closed: gone.signal,
  }
}
