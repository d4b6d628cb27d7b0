import { type IncomingMessage, createServer, type Server } from "node:http"
import express from "express"
import type { Request, Response, RequestHandler, Express } from "express"
import { z } from "zod"
import { checkAnswer, type Handlers as HandlersOf, type Serving } from "../../serve/serve.ts"
import { cloudAccount } from "../../shared/contract/cloud-account.ts"
import { type Contract, allowedMethods, type Endpoint } from "../../shared/contract/endpoint.ts"
import { ServiceError, type ServiceIssue } from "../../shared/contract/service-errors.ts"
import { tickets } from "../../shared/contract/tickets.ts"
import { isWriteConflict } from "../core/database.ts"
import type { Logger } from "../core/logger.ts"
import { getValues, type Admit, type Caller } from "./authenticate.ts"
import type { ReadJson } from "./read-json.ts"

/** How long the rest of a refused body is still accepted, so that the client can read the response. */
const drainMs = 10_000

/** Converts any thrown value to an error that a client may see. Internal errors are logged with their cause. */
export function toServiceError(error: unknown, logger: Logger): ServiceError {
  if (error instanceof ServiceError) {
    if (error.status >= 500) logger.error({ err: error.cause }, error.message)
    return error
  }
  if (error instanceof z.ZodError) return validationError(error)
  if (isWriteConflict(error)) {
    logger.warn({ err: error }, "Timed out waiting for other writers")
    return new ServiceError("RETRY_REQUEST", "Others are writing just now; nothing was changed. Try again.", {
      retryAfterSeconds: 1,
    })
  }
  if (error instanceof URIError) return new ServiceError("VALIDATION_ERROR", "The address is malformed.")
  logger.error({ err: error }, "Unexpected error in a request")
  return new ServiceError("INTERNAL_ERROR", "Something went wrong in the service. Try again later.")
}

/** The 400 for a body or query that doesn't match its schema; it names each field. */
function validationError(error: z.ZodError): ServiceError {
  const issues = error.issues.flatMap((issue): ServiceIssue[] => {
    const path = issue.path.join(".")
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }]
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: "isn't a field that may be sent",
    }))
  })
  const [first] = issues
  const where = first === undefined ? "" : ` ${first.path === "" ? "body" : first.path}: ${first.message}`
  return new ServiceError("VALIDATION_ERROR", `The request isn't valid:${where}`, { issues })
}

export function sendError(request: Request, response: Response, error: ServiceError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error.status === 401) response.setHeader("www-authenticate", "Bearer")
  if (error.status === 429) {
    response.setHeader("retry-after", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))))
  }
  response.status(error.status).json(error.toBody())
  if (!request.readableEnded) drain(request)
}

function drain(request: Request): void {
  const limit = setTimeout(() => request.socket.destroy(), drainMs)
  const settled = () => clearTimeout(limit)
  request.once("end", settled).once("close", settled).once("error", settled)
  request.unpipe()
  request.resume()
}

/**
 * Checks `Host` against an exact list, which prevents DNS rebinding, and `Origin`, which blocks other web pages: no foreign origin is ever
 * allowed. Throws `FORBIDDEN`.
 */
type Guard = (request: IncomingMessage) => void

export function createGuard(port: number, publicUrl: string | null): Guard {
  const allowed = new Map<string, string>()
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
    allowed.set(`${name}:${port}`, `http://${name}:${port}`)
    if (port === 80) allowed.set(name, `http://${name}`)
  }
  if (publicUrl !== null) {
    const { host, origin } = new URL(publicUrl)
    allowed.set(host, origin)
  }
  return (request) => {
    const hosts = getValues(request, "host")
    const own = hosts.length === 1 ? allowed.get(hosts[0]?.toLowerCase() ?? "") : undefined
    if (own === undefined) {
      throw new ServiceError(
        "FORBIDDEN",
        "The service doesn't answer to this host name. Start it with --public-url if the address is yours.",
      )
    }
    const { origin } = request.headers
    if (origin !== undefined && origin !== own) {
      throw new ServiceError(
        "FORBIDDEN",
        "Web pages of other origins may not call this service. Send tickets from your server.",
      )
    }
  }
}

/** Serves the support page's files, with the page itself at `/`. */
export function servePage(directory: string): RequestHandler {
  return express.static(directory, {
    index: "index.html",
    redirect: false,
    cacheControl: false,
    dotfiles: "ignore",
  })
}

/** Serves the description of this API in OpenAPI's format. */
export const serveOpenApi: RequestHandler = async (request, response, next) => {
  if (request.path !== openApiPath || (request.method !== "GET" && request.method !== "HEAD")) {
    next()
    return
  }
  const { default: document } = await import("../../../openapi-auth.json", { with: { type: "json" } })
  response.json(document)
}

export type Handlers<C extends Contract> = HandlersOf<C, Caller>

const usualBodyBytes = 64 * 1024

/** Defines how the auth service serves every endpoint. */
export const createServing = (admit: Admit, readJson: ReadJson, logger: Logger): Serving<Caller> => ({
  admit: (request, _response, { demand }) => admit(request, demand ?? {}),
  readJson: (request, response, maxBytes = usualBodyBytes) => readJson(request, response, maxBytes),
  send: async (_request, response, schema, value) => void response.json(checkAnswer(schema, value)),
  refuse: (request, response, error) => sendError(request, response, toServiceError(error, logger)),
})

const headersTimeoutMs = 10_000
/** 20 MB at 64 kB/s. */
const requestTimeoutMs = 5 * 60_000
const maxConnections = 10_000

const openApiPath = "/api/openapi.json"

const endpoints = [
  ...Object.values<Endpoint>(cloudAccount),
  ...Object.values<Endpoint>(tickets),
  { method: "get" as const, path: openApiPath },
]

/** A plain HTTP server with limits on time and connections. */
export function createHttpServer(): Server {
  const limits = { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs }
  const server = createServer({ ...limits, keepAliveTimeout: 65_000, noDelay: true })
  server.maxConnections = maxConnections
  return server
}

/** Allows only the page's own files and the service itself; screenshots are shown from `blob:` URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader("content-security-policy", contentSecurityPolicy)
  response.setHeader("x-content-type-options", "nosniff")
  response.setHeader("x-dns-prefetch-control", "off")
  response.setHeader("referrer-policy", "no-referrer")
  response.setHeader("cross-origin-resource-policy", "same-origin")
  response.setHeader("cross-origin-opener-policy", "same-origin")
  response.setHeader("cache-control", "no-store")
  next()
}

/** An Express app that checks host and origin before anything else. */
export function createApp(guard: Guard, logger: Logger, routes: RequestHandler[]): Express {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("query parser", "simple")
  app.use(securityHeaders)
  app.use((request, _response, next) => {
    guard(request)
    next()
  })
  for (const route of routes) app.use(route)
  app.use((request, response) => {
    const allowed = allowedMethods(endpoints, request.path).join(", ")
    if (allowed !== "") {
      response.setHeader("allow", allowed)
      throw new ServiceError("METHOD_NOT_ALLOWED", `There is no ${request.method} here, only ${allowed}.`)
    }
    throw new ServiceError("NOT_FOUND", `There is no ${request.method} ${request.path} here.`)
  })
  const lastResort: express.ErrorRequestHandler = (error, request, response, _next) => {
    sendError(request, response, toServiceError(error, logger))
  }
  app.use(lastResort)
  return app
}
