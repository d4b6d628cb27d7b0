import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer, type WebSocket } from "ws"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { socketProtocol } from "../../shared/contract/session.ts"
import { socketPath, type SocketMessage } from "../../shared/contract/socket.ts"
import type { Logger } from "../core/logging/logger.ts"
import { currentRequestId, withRequestId, requestIdHeader, getRequestId } from "../core/logging/request-id.ts"
import type { Authenticate } from "./authenticate.ts"
import type { Caller } from "./caller.ts"
import type { ConnectedApps } from "./connected-apps.ts"
import { toAppError } from "./error-response.ts"
import type { Guard } from "./guard.ts"
import type { LiveConnections } from "./live-connections.ts"
import type { WorkerEntrance } from "./workers/workers.ts"
import { createSlices } from "./answers/slices.ts"

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
    const hello = { type: "hello", userId, unreadCount: count, news: apps.told(userId) } as const
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
      for (const socket of acceptor.clients) socket.close(1001, "The box is stopping")
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
