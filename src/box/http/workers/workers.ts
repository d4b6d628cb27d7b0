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

export const createWorkers = (deps: WorkersDeps): WorkerEntrance => new StandbyWorkers(deps)

class StandbyWorkers implements WorkerEntrance {
  readonly #deps: WorkersDeps
  readonly #acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })
  /** Response headers for accepted connections. */
  readonly #answers = new WeakMap<IncomingMessage, string[]>()
  readonly #silent = new WeakSet<WebSocket>()
  readonly #free: Record<WorkKind, Channel[]> = { read: [], recognise: [], embed: [] }
  readonly #counts: Record<WorkKind, number> = { read: 0, recognise: 0, embed: 0 }
  readonly #done: Record<WorkKind, number> = { read: 0, recognise: 0, embed: 0 }
  readonly #listeners = new Set<() => void>()
  readonly #heartbeat: NodeJS.Timeout

  constructor(deps: WorkersDeps) {
    this.#deps = deps
    this.#acceptor.on("headers", (headers, request) => headers.push(...(this.#answers.get(request) ?? [])))
    this.#heartbeat = setInterval(() => {
      for (const socket of this.#acceptor.clients) {
        if (this.#silent.has(socket)) socket.terminate()
        else {
          this.#silent.add(socket)
          socket.ping()
        }
      }
    }, pingMs).unref()
  }

  count(kind: WorkKind): number {
    return this.#counts[kind]
  }

  done(kind: WorkKind): number {
    return this.#done[kind]
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  take(kind: WorkKind): WorkerSlot | null {
    const channel = this.#free[kind].shift()
    if (!channel) return null
    const { gone, receive } = channel
    let isDone = false
    return {
      send: (message, signal) => unlessAborted(channel.send(message), signal),
      receive(timeoutMs, signal) {
        const late = () => new WorkerLost("Another server takes too long.")
        return withTimeout(timeoutMs, receive(signal), late)
      },
      done: () => {
        isDone = true
        this.#done[kind]++
        if (!gone.aborted) this.#free[kind].push(channel)
      },
      [Symbol.dispose]() {
        if (!isDone) channel.end()
      },
    }
  }

  accept(request: IncomingMessage, duplex: Duplex, head: Buffer): boolean {
    if (URL.parse(request.url ?? "/", "http://box")?.pathname !== workerPath) return false
    const {
      [workerVersionHeader]: theirs,
      [workKindHeader]: wanted,
      [nonceHeader]: waiting,
    } = request.headers
    if (theirs !== this.#deps.version || this.#acceptor.clients.size >= maxConnections)
      throw new AppError("conflict", sentence("http.worker_not_needed"))
    const kind = workKinds.find((one) => one === wanted)
    if (kind === undefined || typeof waiting !== "string")
      throw new AppError("forbidden", sentence("http.no_worker"))
    const running = newNonce()
    const proofs = proofsFor(this.#deps.key, { kind, waiting, running })
    this.#answers.set(request, [`${nonceHeader}: ${running}`, `${proofHeader}: ${proofs.running}`])
    this.#acceptor.handleUpgrade(
      request,
      duplex,
      head,
      (socket) => void this.#admit(socket, duplex, kind, proofs.waiting),
    )
    return true
  }

  /** Gives a connection its slot after its proof is checked, and closes it otherwise. Nothing is sent to it before that. */
  async #admit(socket: WebSocket, duplex: Duplex, kind: WorkKind, proof: string): Promise<void> {
    const channel = createChannel(socket)
    socket.on("pong", () => this.#silent.delete(socket))
    let bytes = 0
    const count = (chunk: Buffer) => (bytes += chunk.length) > provingBytes && channel.end()
    duplex.on("data", count)
    try {
      const late = () => new WorkerLost("Another server takes too long to identify itself.")
      const reply = await withTimeout(provingMs, channel.receive(), late)
      if (!isToken((reply as { proof?: unknown } | null)?.proof, proof))
        throw new WorkerLost("Another server's identification is invalid.")
      channel.gone.throwIfAborted()
      this.#open(channel, kind)
    } catch (error) {
      this.#deps.logger.debug({ err: error, kind }, "A connection to another server was abandoned")
      channel.end()
    } finally {
      duplex.off("data", count)
    }
  }

  #open(channel: Channel, kind: WorkKind): void {
    channel.gone.addEventListener("abort", () => {
      this.#free[kind] = this.#free[kind].filter((one) => one !== channel)
      this.#changed(kind, -1)
    })
    this.#free[kind].push(channel)
    this.#changed(kind, 1)
  }

  #changed(kind: WorkKind, by: 1 | -1): void {
    this.#counts[kind] += by
    this.#deps.logger.debug({ kind, places: this.#counts[kind] }, "Worker slots on standby servers")
    for (const listener of this.#listeners) listener()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat)
    for (const socket of this.#acceptor.clients) socket.terminate()
    this.#acceptor.close()
  }
}
