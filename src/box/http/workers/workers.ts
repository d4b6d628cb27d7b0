import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer, type WebSocket } from "ws"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { unlessAborted, withTimeout } from "../../core/waiting/abort-and-timeout.ts"
import { isToken } from "../box-token.ts"
import {
  createChannel,
  maxMessageBytes,
  WorkerLost,
  type Channel,
  newNonce,
  nonceHeader,
  proofHeader,
  proofsFor,
  workerPath,
  workerVersionHeader,
  workKindHeader,
  workKinds,
  type WorkKind,
} from "./worker-channel.ts"

/** A connection to a standby server for one job. Disposing of it before `done` closes the connection. */
export interface WorkerSlot extends Disposable {
  /** Resolves when the message has been sent. Throws `WorkerLost`, or the signal's reason. */
  send(message: object | Uint8Array, signal?: AbortSignal): Promise<void>
  /** Returns the next message, with a timeout in ms. Throws `WorkerLost`, or the signal's reason. */
  receive(timeoutMs: number, signal?: AbortSignal): Promise<unknown>
  /** Marks the job as complete, including its last message. The connection can then receive another job. */
  done(): void
}

/** Work that standby servers do for the active server. */
export interface Workers {
  /** Number of worker slots for this kind of work, free or not. */
  count(kind: WorkKind): number
  /** Number of completed jobs of this kind. */
  done(kind: WorkKind): number
  /** Returns the slot that has been free for longest, or null if none is free. */
  take(kind: WorkKind): WorkerSlot | null
  /** Calls the listener when the number of slots changes. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void
}

export interface WorkerEntrance extends Workers, Disposable {
  /** Accepts a connection that offers work; returns false for any other. Throws `forbidden` or `conflict`. */
  accept(request: IncomingMessage, duplex: Duplex, head: Buffer): boolean
}

export interface WorkersDeps {
  /** `workerKey` of the secrets key. */
  key: Buffer
  /** Other versions read documents differently. */
  version: string
  logger: Logger
}

/** Interval between pings, in ms. A box that vanished is detected after two. */
const pingMs = 5_000
/** Maximum connections of all boxes, including unproven ones. */
const maxConnections = 1_024
/** Time in ms and number of bytes within which a new connection must prove itself. */
const provingMs = 5_000
const provingBytes = 1_024

export function createWorkers({ key, version, logger }: WorkersDeps): WorkerEntrance {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })
  /** Response headers for accepted connections. */
  const answers = new WeakMap<IncomingMessage, string[]>()
  acceptor.on("headers", (headers, request) => headers.push(...(answers.get(request) ?? [])))
  const silent = new WeakSet<WebSocket>()
  const free: Record<WorkKind, Channel[]> = { read: [], recognise: [], embed: [] }
  const counts: Record<WorkKind, number> = { read: 0, recognise: 0, embed: 0 }
  const done: Record<WorkKind, number> = { read: 0, recognise: 0, embed: 0 }
  const listeners = new Set<() => void>()
  const heartbeat = setInterval(() => {
    for (const socket of acceptor.clients) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.ping()
      }
    }
  }, pingMs).unref()

  function changed(kind: WorkKind, by: 1 | -1): void {
    counts[kind] += by
    logger.debug({ kind, places: counts[kind] }, "Places at boxes that wait")
    for (const listener of listeners) listener()
  }

  /** Gives a connection its slot after its proof is checked, and closes it otherwise. Nothing is sent to it before that. */
  async function admit(socket: WebSocket, duplex: Duplex, kind: WorkKind, proof: string): Promise<void> {
    const channel = createChannel(socket)
    socket.on("pong", () => silent.delete(socket))
    let bytes = 0
    const count = (chunk: Buffer) => (bytes += chunk.length) > provingBytes && channel.end()
    duplex.on("data", count)
    try {
      const late = () => new WorkerLost("Another box takes too long to prove itself.")
      const reply = await withTimeout(provingMs, channel.receive(), late)
      if (!isToken((reply as { proof?: unknown } | null)?.proof, proof))
        throw new WorkerLost("What another box says is no proof.")
      channel.gone.throwIfAborted()
      open(channel, kind)
    } catch (error) {
      logger.debug({ err: error, kind }, "A connection that offers work was given up")
      channel.end()
    } finally {
      duplex.off("data", count)
    }
  }

  function open(channel: Channel, kind: WorkKind): void {
    channel.gone.addEventListener("abort", () => {
      free[kind] = free[kind].filter((one) => one !== channel)
      changed(kind, -1)
    })
    free[kind].push(channel)
    changed(kind, 1)
  }

  return {
    count: (kind) => counts[kind],
    done: (kind) => done[kind],
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    take(kind) {
      const channel = free[kind].shift()
      if (!channel) return null
      const { gone, receive } = channel
      let isDone = false
      return {
        send: (message, signal) => unlessAborted(channel.send(message), signal),
        receive(timeoutMs, signal) {
          const late = () => new WorkerLost("Another box takes too long.")
          return withTimeout(timeoutMs, receive(signal), late)
        },
        done() {
          isDone = true
          done[kind]++
          if (!gone.aborted) free[kind].push(channel)
        },
        [Symbol.dispose]() {
          if (!isDone) channel.end()
        },
      }
    },
    accept(request, duplex, head) {
      if (URL.parse(request.url ?? "/", "http://box")?.pathname !== workerPath) return false
      const {
        [workerVersionHeader]: theirs,
        [workKindHeader]: wanted,
        [nonceHeader]: waiting,
      } = request.headers
      if (theirs !== version || acceptor.clients.size >= maxConnections)
        throw new AppError("conflict", sentence("http.worker_not_needed"))
      const kind = workKinds.find((one) => one === wanted)
      if (kind === undefined || typeof waiting !== "string")
        throw new AppError("forbidden", sentence("http.no_worker"))
      const running = newNonce()
      const proofs = proofsFor(key, { kind, waiting, running })
      answers.set(request, [`${nonceHeader}: ${running}`, `${proofHeader}: ${proofs.running}`])
      acceptor.handleUpgrade(
        request,
        duplex,
        head,
        (socket) => void admit(socket, duplex, kind, proofs.waiting),
      )
      return true
    },
    [Symbol.dispose]() {
      clearInterval(heartbeat)
      for (const socket of acceptor.clients) socket.terminate()
      acceptor.close()
    },
  }
}
