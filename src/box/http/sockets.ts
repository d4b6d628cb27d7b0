import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocket, WebSocketServer } from "ws"
import { AppError } from "../../shared/contract/errors.ts"
import { socketProtocol } from "../../shared/contract/session.ts"
import { type SocketMessage, socketPath } from "../../shared/contract/socket.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { currentRequestId, withRequestId, requestIdHeader, getRequestId } from "../core/async-context.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { Authenticate } from "./authenticate.ts"
import type { Caller } from "./caller.ts"
import { toAppError } from "./error-response.ts"
import type { Guard } from "./guard.ts"
import type { LiveConnections } from "./live-connections.ts"
import type { WorkerEntrance } from "./workers/workers.ts"

/** Background work that alternates with requests. */
interface Slices {
  /** Number of unfinished jobs. */
  readonly waiting: number
  /** Runs a job after the previous ones: at once if it is short, otherwise in slices. It may be interrupted at each `yield`. */
  add(job: Iterator<void, void>): void
}

/** Maximum time that jobs delay requests at once, in ms. */
const usualSliceMs = 5

export function createSlices(sliceMs: number = usualSliceMs): Slices {
  const jobs: Iterator<void, void>[] = []
  let isWorking = false

  function work(): void {
    const until = performance.now() + sliceMs
    isWorking = true
    try {
      for (let job; (job = jobs[0]);) {
        const { done } = step(job)
        if (done === true || performance.now() < until) continue
        setImmediate(work)
        return
      }
      isWorking = false
    } catch (error) {
      setImmediate(work) // The other jobs continue.
      throw error
    }
  }

  function step(job: Iterator<void, void>): IteratorResult<void, void> {
    let done: boolean | undefined = true
    try {
      const result = job.next()
      done = result.done
      return result
    } finally {
      if (done === true) jobs.shift()
    }
  }

  return {
    get waiting() {
      return jobs.length
    },
    add(job) {
      jobs.push(job)
      if (!isWorking) work()
    },
  }
}

/** The open WebSockets of each user. */
export interface ConnectedApps {
  add(userId: string, socket: WebSocket): void
  /** Whether the user has an open WebSocket. */
  has(userId: string): boolean
  /** Sends to one user's apps and returns how many receive it. */
  sendTo(userId: string, message: SocketMessage): number
  /** Sends to the apps of some users; null means all users. */
  send(userIds: readonly string[] | null, message: SocketMessage): void
  /** Number of open WebSockets. */
  count(): number
  /** Number of messages for the user since the box started, whether or not an app was connected. */
  countMessages(userId: string): number
}

/**
 * Maximum backlog of a client, in addition to the system's buffers. A client that exceeds it can't keep up: it is closed with 1013 and
 * catches up over HTTP.
 */
const maxBacklogBytes = 64_000
/** Maximum pending messages for all clients together, which may be thousands of apps. */
const maxUnsent = 1_000
const tryAgainLater = 1013

interface App {
  userId: string
  socket: WebSocket
}

export function createConnectedApps(slices: Slices = createSlices()): ConnectedApps {
  const byUser = new Map<string, Set<App>>()
  const notifiedByUser = new Map<string, number>()
  let notifiedAll = 0

  function remove(app: App): void {
    const apps = byUser.get(app.userId)
    if (apps?.delete(app) === true && apps.size === 0) byUser.delete(app.userId)
  }

  /** Stops queuing messages. `ws` disconnects a client that doesn't read within 30 s. */
  function drop(app: App): void {
    remove(app)
    app.socket.close(tryAgainLater, "Too slow: catch up over HTTP")
  }

  function* write(apps: readonly App[], data: Buffer): Generator<void, void> {
    for (const app of apps) {
      if (app.socket.readyState !== WebSocket.OPEN) continue
      if (slices.waiting > maxUnsent) drop(app)
      else app.socket.send(data, { binary: false })
      yield
    }
  }

  /** Returns how many apps will receive the message. They are written to in turn, because writing to thousands takes a while. */
  function deliver(apps: readonly App[], message: SocketMessage): number {
    const open = apps.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    const isSlow = ({ socket }: App) => socket.bufferedAmount > maxBacklogBytes
    open.filter(isSlow).forEach(drop)
    const able = open.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    if (able.length > 0) slices.add(write(able, Buffer.from(JSON.stringify(message))))
    return able.length
  }

  function count(userIds: readonly string[] | null): void {
    if (userIds === null) notifiedAll++
    else for (const userId of userIds) notifiedByUser.set(userId, (notifiedByUser.get(userId) ?? 0) + 1)
  }

  const getApps = (userId: string): App[] => [...(byUser.get(userId) ?? [])]

  return {
    add(userId, socket) {
      const app = { userId, socket }
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(app))
      socket.once("close", () => remove(app))
    },
    has: (userId) => getApps(userId).some(({ socket }) => socket.readyState === WebSocket.OPEN),
    sendTo(userId, message) {
      count([userId])
      return deliver(getApps(userId), message)
    },
    count: () => [...byUser.values()].reduce((sum, apps) => sum + apps.size, 0),
    countMessages: (userId) => notifiedAll + (notifiedByUser.get(userId) ?? 0),
    send(userIds, message) {
      count(userIds)
      deliver((userIds ?? [...byUser.keys()]).flatMap(getApps), message)
    },
  }
}

export interface SocketsDeps {
  server: Server
  guard: Guard
  authenticate: Authenticate
  live: LiveConnections
  apps: ConnectedApps
  /** Accepts the connections of standby servers that work for this box; null: there are none. */
  workers?: Pick<WorkerEntrance, "accept"> | null
  logger: Logger
  unreadCount(userId: string): Promise<number>
}

const pingMs = 30_000
/** Apps only listen. Their messages are discarded. */
const maxIncomingBytes = 4_096
/** How long a client may take to answer the close when the box stops, in ms. */
const goodbyeMs = 1_000

/** Opens the WebSocket of connected apps. */
export function openSockets({
  server,
  guard,
  authenticate,
  live,
  apps,
  workers,
  logger,
  unreadCount,
}: SocketsDeps): Disposable {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxIncomingBytes,
    perMessageDeflate: false,
    // Never selects the subprotocol that contains a page's secret.
    handleProtocols: (protocols) => protocols.has(socketProtocol) && socketProtocol,
  })
  acceptor.on("headers", (headers) => headers.push(`${requestIdHeader}: ${currentRequestId()}`))
  const silent = new WeakSet<WebSocket>()
  /** Runs while an app is connected. */
  let heartbeat: NodeJS.Timeout | undefined

  async function accept(request: IncomingMessage, duplex: Duplex, head: Buffer): Promise<void> {
    if (workers?.accept(request, duplex, head)) return
    guard.check(request)
    if (URL.parse(request.url ?? "/", "http://box")?.pathname !== socketPath) {
      throw new AppError("not_found", sentence("http.no_socket"))
    }
    const caller = await authenticate(request, "socket")
    if (caller.scopes !== null && !caller.scopes.includes("read-only")) {
      throw new AppError("forbidden", sentence("http.key_may_not_listen"))
    }
    // Browsers always send the origin of a WebSocket. Without one, a cookie proves nothing.
    if (caller.via === "session" && request.headers.origin === undefined) {
      throw new AppError("forbidden", sentence("http.origin_needed"))
    }
    const opening = live.track(caller.credentialId, () => duplex.destroy())
    try {
      const count = await unreadCount(caller.userId)
      acceptor.handleUpgrade(request, duplex, head, (socket) => open(socket, caller, count))
    } finally {
      opening[Symbol.dispose]()
    }
  }

  function open(socket: WebSocket, caller: Caller, count: number): void {
    const { userId } = caller
    const tracked = live.track(caller.credentialId, () => socket.close(1008, "This credential was revoked"))
    socket.on("pong", () => silent.delete(socket))
    socket.on("error", (error) => logger.debug({ err: error }, "WebSocket closed by an error"))
    socket.on("close", () => {
      tracked[Symbol.dispose]()
      if (acceptor.clients.size > 0) return
      clearInterval(heartbeat)
      heartbeat = undefined
    })
    const hello = { type: "hello", userId, unreadCount: count, news: apps.countMessages(userId) } as const
    socket.send(JSON.stringify(hello satisfies SocketMessage))
    apps.add(userId, socket)
    heartbeat ??= setInterval(() => slices.add(pingAll()), pingMs)
  }

  server.on("upgrade", (request, duplex, head) => {
    duplex.on("error", () => duplex.destroy())
    const id = getRequestId(request.headers[requestIdHeader])
    void withRequestId(id, () =>
      accept(request, duplex, head).catch((error: unknown) => refuse(duplex, toAppError(error, logger), id)),
    )
  })
  const slices = createSlices()
  function* pingAll(): Generator<void, void> {
    for (const socket of acceptor.clients) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.ping()
      }
      yield
    }
  }

  return {
    [Symbol.dispose]() {
      clearInterval(heartbeat)
      for (const socket of acceptor.clients) socket.close(1001, "Casella is stopping")
      acceptor.close()
      setTimeout(() => acceptor.clients.forEach((socket) => socket.terminate()), goodbyeMs).unref()
    },
  }
}

function refuse(duplex: Duplex, error: AppError, requestId: string): void {
  const body = JSON.stringify(error.toBody())
  duplex.once("finish", () => duplex.destroy()) // The client might never close its side.
  duplex.end(
    `HTTP/1.1 ${error.status} ${error.code}\r\ncontent-type: application/json\r\n` +
      `${requestIdHeader}: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
