import { createServer, type Server } from "node:http"
import express, { type Express, type RequestHandler } from "express"
import { allowedMethods } from "../../shared/contract/allowed-methods.ts"
import { cloudAccount } from "../../shared/contract/cloud-account.ts"
import type { Endpoint } from "../../shared/contract/endpoint.ts"
import { ServiceError } from "../../shared/contract/service-errors.ts"
import { tickets } from "../../shared/contract/tickets.ts"
import type { Logger } from "../core/logger.ts"
import type { Guard } from "./guard.ts"
import { sendError, toServiceError } from "./error-response.ts"

const headersTimeoutMs = 10_000
/** 20 MB at 64 kB/s. */
const requestTimeoutMs = 5 * 60_000
const maxConnections = 10_000

const endpoints = [...Object.values<Endpoint>(cloudAccount), ...Object.values<Endpoint>(tickets)]

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
