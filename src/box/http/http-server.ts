import type { RequestListener, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import express from "express"
import type { Request, RequestHandler, Express } from "express"
import { allowedMethods, type Contract } from "../../shared/contract/endpoint.ts"
import { api } from "../../shared/contract/api.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { socketPath } from "../../shared/contract/socket.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { withRequestId, requestIdHeader, getRequestId } from "../core/async-context.ts"
import type { Logger } from "../core/logging/logger.ts"
import { createUnsentAnswers } from "./answers/answer-limits.ts"
import { boxIdHeader, isForwarded, ownBoxId } from "./box-token.ts"
import { sendError, toAppError } from "./error-response.ts"
import type { Guard } from "./guard.ts"
import { securityHeaders } from "./page.ts"

/** A finished request. */
export interface EndedRequest {
  method: string
  /** The endpoint's path with parameter names; null for pages, the page's files and unknown paths. */
  route: string | null
  /** Null if the client disconnected before it was answered. */
  status: number | null
  seconds: number
}

/** Reports finished requests to a listener. Without a listener, requests have no overhead. */
export interface Traffic {
  readonly note: RequestHandler
  /** Sets the listener permanently. */
  watch(listener: (request: EndedRequest) => void): void
}

export function createTraffic(): Traffic {
  let onEnded: ((request: EndedRequest) => void) | undefined
  return {
    note(request, response, next) {
      const listener = onEnded
      if (listener) {
        const startedAt = performance.now()
        response.once("close", () =>
          listener({
            method: request.method,
            route: getRoute(request),
            status: response.headersSent ? response.statusCode : null,
            seconds: (performance.now() - startedAt) / 1000,
          }),
        )
      }
      next()
    },
    watch: (listener) => void (onEnded = listener),
  }
}

const getRoute = (request: Request) => (request.route as { path: string } | undefined)?.path ?? null

/** Importing the module would also load Node's `fetch` and WebSocket, which adds 30 ms to each start. */
const { createServer } = process.getBuiltinModule("node:http")

/** Timeout for the request head; slower clients are dropped at the next check. The body of a 1 GiB upload may take an hour. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 3_600_000
/** Interval at which Node checks for request heads and requests that take too long, even when no one is connected. */
const timeoutCheckIntervalMs = 60_000
/**
 * A client that accepts no written data for this long has stalled. For a program on the same computer, the system buffers more than a
 * megabyte and accepts more after that is read, which takes three minutes at 8 kB/s.
 */
const usualStallMs = 180_000

const endpoints = [
  ...Object.values<Contract>(api).flatMap((contract) => Object.values(contract)),
  ...["/api/openapi.json", "/api/docs", socketPath].map((path) => ({ method: "get" as const, path })),
]

/**
 * Maximum connections that wait to be accepted. Node's default of 511 is too low when a thousand slow clients reconnect at once; a refused
 * client retries after 1 s, 3 s, 7 s and so on.
 */
export const maxUnaccepted = 4_096
/** Maximum pipelined requests that wait on a connection. Browsers send none. */
const maxPipelined = 64

/** Buffer size per connection and direction. A thousand stalled connections use little memory. */
const bufferBytes = 32 * 2 ** 10

/**
 * Creates a plain HTTP server for an Express app or another listener. Clients that don't read are dropped, and use little memory until
 * then.
 */
export function createHttpServer(app: RequestListener, stallMs: number = usualStallMs): Server {
  const server = createServer({
    // HTTP/2 upgrade requests are answered in HTTP/1.1. Only WebSockets change the protocol.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckIntervalMs,
    keepAliveTimeout: 65_000,
    noDelay: true,
    highWaterMark: bufferBytes,
  })
  const unsent = createUnsentAnswers()
  const latest = new WeakMap<Socket, ServerResponse>()
  const waitingBySocket = new WeakMap<Socket, number>()
  server.timeout = stallMs
  server.on("request", (request, response) => {
    const { socket } = request
    // The connection was idle: the client doesn't read, or the answer is still being created.
    response.on("timeout", () => response.writableLength > 0 && socket.resetAndDestroy())
    unsent.watch(request, response)
    // A pipelined request is handled after the previous answer has been read.
    const before = latest.get(socket)
    latest.set(socket, response)
    if (before === undefined || before.closed) {
      app(request, response)
      return
    }
    const waiting = (waitingBySocket.get(socket) ?? 0) + 1
    if (waiting > maxPipelined) {
      socket.destroy()
      return
    }
    waitingBySocket.set(socket, waiting)
    before.once("close", () => {
      waitingBySocket.set(socket, (waitingBySocket.get(socket) ?? 1) - 1)
      if (!socket.destroyed) app(request, response)
    })
  })
  return server
}

/**
 * Creates an Express app that gives each request an id and checks host and origin before anything else. `routes` run between the guard and
 * the fallback. Requests with the `forwardingToken` come from other boxes, and their answers identify this box.
 */
export function createApp(
  guard: () => Guard,
  logger: Logger,
  routes: RequestHandler[],
  traffic: Pick<Traffic, "note"> = createTraffic(),
  forwardingToken: string | null = null,
): Express {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("query parser", "simple")
  app.use((request, response, next) => {
    const id = getRequestId(request.headers[requestIdHeader])
    response.setHeader(requestIdHeader, id)
    if (isForwarded(request, forwardingToken)) response.setHeader(boxIdHeader, ownBoxId)
    withRequestId(id, next)
  })
  app.use(traffic.note)
  app.use(securityHeaders)
  app.use((request, response, next) => {
    const foreign = guard().check(request)
    if (foreign === null) {
      next()
      return
    }
    response.setHeader("access-control-allow-origin", foreign)
    response.setHeader("access-control-expose-headers", "mcp-session-id, x-request-id")
    response.setHeader("vary", "Origin")
    if (request.method !== "OPTIONS") {
      next()
      return
    }
    response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE")
    response.setHeader(
      "access-control-allow-headers",
      "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id, x-api-key, x-organization-id, x-request-id",
    )
    response.setHeader("access-control-max-age", "600")
    response.status(204).end()
  })
  for (const route of routes) app.use(route)
  app.use((request, response) => {
    const allowed = allowedMethods(endpoints, request.path).join(", ")
    if (allowed === "")
      throw new AppError(
        "not_found",
        sentence("http.no_endpoint", { method: request.method, path: request.path }),
      )
    response.setHeader("allow", allowed)
    if (request.path === socketPath && /^(GET|HEAD)$/.test(request.method)) {
      response.setHeader("upgrade", "websocket")
      throw new AppError("upgrade_required", sentence("http.socket_only"))
    }
    throw new AppError("method_not_allowed", sentence("http.no_method", { method: request.method, allowed }))
  })
  const lastResort: express.ErrorRequestHandler = (error, request, response, _next) => {
    sendError(response, request.path, toAppError(error, logger))
  }
  app.use(lastResort)
  return app
}
