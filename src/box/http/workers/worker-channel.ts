import { createHmac, randomBytes } from "node:crypto"
import type { WebSocket } from "ws"

/** Path at which standby servers offer their work to the active server, by WebSocket. */
export const workerPath = "/api/workers"
/** Headers of the connection request: the program's version and the kind of work. */
export const workerVersionHeader = "x-casella-version"
export const workKindHeader = "x-casella-work"
/** Header of the request and of its response: a nonce. */
export const nonceHeader = "x-casella-nonce"
/** Header of the response: the active server's proof. The standby server's proof is the first message, as `{ proof }`. */
export const proofHeader = "x-casella-proof"

/** Kinds of work. A connection does one job of its kind at a time. */
export const workKinds = ["read", "recognise", "embed"] as const
export type WorkKind = (typeof workKinds)[number]

/** Returns a value that is never used twice, so that a proof for it is worthless for another connection. */
export const newNonce = (): string => randomBytes(32).toString("base64url")

export interface Connection {
  kind: WorkKind
  /** Nonce of the standby server. */
  waiting: string
  /** Nonce of the active server. */
  running: string
}

/**
 * Returns the proofs, for one connection, that a box has the key. Each side has a different proof, so that neither can echo the other's.
 */
export function proofsFor(
  key: Buffer,
  { kind, waiting, running }: Connection,
): Record<"waiting" | "running", string> {
  const getProof = (side: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([side, kind, waiting, running]))
      .digest("base64url")
  return { waiting: getProof("waiting"), running: getProof("running") }
}

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
    gone.abort(new WorkerLost("The connection to another server ended."))
    wake()
  })

  return {
    gone: gone.signal,
    async send(message) {
      gone.signal.throwIfAborted()
      const sent = Promise.withResolvers<void>()
      socket.send(message instanceof Uint8Array ? message : JSON.stringify(message), (error) => {
        if (error) sent.reject(new WorkerLost("The connection to another server was lost.", { cause: error }))
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
