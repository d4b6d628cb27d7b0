import type { WebSocket } from "ws"

/** The other side is gone, can't do it, or said what nobody understands: what it was doing is to be done by another. */
export class WorkerLost extends Error {
  override readonly name = "WorkerLost"
}

/** One of two boxes' ends of a WebSocket that they take turns on. */
export interface Channel {
  /** Aborted once the connection is gone. */
  readonly gone: AbortSignal
  /** Settles once it is on its way. Throws `WorkerLost`. */
  send(message: object | Uint8Array): Promise<void>
  /** The next message: bytes, or what a text says. Throws `WorkerLost`, or the signal's reason. */
  receive(signal?: AbortSignal): Promise<unknown>
  /** Ends the connection at once. */
  end(): void
}

/** Of one message; the longest has the scans of a document with a million pages. */
export const longestMessageBytes = 64 << 20
/** Messages that may wait here until they are wanted. */
const mostWaiting = 16

export function createChannel(socket: WebSocket): Channel {
  const gone = new AbortController()
  const waiting: unknown[] = []
  let wake = () => {}

  socket.on("message", (data: Buffer, isBinary) => {
    try {
      waiting.push(isBinary ? data : JSON.parse(data.toString()))
    } catch {
      socket.terminate()
    }
    if (waiting.length >= mostWaiting) socket.pause()
    wake()
  })
  socket.on("error", () => socket.terminate())
  socket.on("close", () => {
    gone.abort(new WorkerLost("The connection to another box ended."))
    wake()
  })

  return {
    gone: gone.signal,
    async send(message) {
      gone.signal.throwIfAborted()
      const sent = Promise.withResolvers<void>()
      socket.send(message instanceof Uint8Array ? message : JSON.stringify(message), (error) => {
        if (error) sent.reject(new WorkerLost("The connection to another box broke.", { cause: error }))
        else sent.resolve()
      })
      await sent.promise
    },
    async receive(signal) {
      const interrupt = () => wake()
      signal?.addEventListener("abort", interrupt)
      try {
        for (;;) {
          signal?.throwIfAborted()
          if (waiting.length > 0) {
            socket.resume()
            return waiting.shift()
          }
          gone.signal.throwIfAborted()
          await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        signal?.removeEventListener("abort", interrupt)
      }
    },
    end: () => socket.terminate(),
  }
}
