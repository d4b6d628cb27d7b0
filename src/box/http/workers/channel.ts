import type { WebSocket } from "ws"

/** The other side is gone, can't do the work, or sent an invalid message. Someone else has to do the work. */
export class WorkerLost extends Error {
  override readonly name = "WorkerLost"
}

/** One end of a WebSocket between two boxes, which send in turn. */
export interface Channel {
  /** Aborted when the connection is closed. */
  readonly gone: AbortSignal
  /** Resolves when the message has been sent. Throws `WorkerLost`. */
  send(message: object | Uint8Array): Promise<void>
  /** Returns the next message: bytes, or the parsed content of a text message. Throws `WorkerLost`, or the signal's reason. */
  receive(signal?: AbortSignal): Promise<unknown>
  /** Closes the connection at once. */
  end(): void
}

/** Maximum size of a message, in bytes. The longest message has the scans of a document with a million pages. */
export const maxMessageBytes = 64 << 20
/** Maximum received messages that wait to be read. */
const maxWaiting = 16

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
    if (waiting.length >= maxWaiting) socket.pause()
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
