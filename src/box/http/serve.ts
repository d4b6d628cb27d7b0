import express, { type Request, type Response } from "express"
import type { Contract, Endpoint } from "../../shared/contract/endpoint.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { Routes } from "../../serve/routes.ts"
import { serve as serveContract, type Handlers as HandlersOf, type Serving } from "../../serve/serve.ts"
import type { DataDirectory } from "../core/data-directory/watch-data-directory.ts"
import type { DiskReserve } from "../core/disk/disk-space.ts"
import { timestamp } from "../core/ids.ts"
import type { Logger } from "../core/logging/logger.ts"
import { onBehalfOf } from "../core/async-context.ts"
import type { Authenticate } from "./authenticate.ts"
import { requireAccess, type Caller } from "./caller.ts"
import { sendError, toAppError } from "./error-response.ts"
import { sendJson } from "./answers/json-pieces.ts"
import { createLargeAnswers } from "./answers/answer-limits.ts"
import type { LiveConnections } from "./live-connections.ts"

export type Handlers<C extends Contract> = HandlersOf<C, Caller>

export interface ServeOptions {
  authenticate: Authenticate
  live: LiveConnections
  /** Space that deletions may use on a full disk. */
  reserve?: Pick<DiskReserve, "withReserve">
  /** Restricts requests to reading when the data directory's path no longer leads to it. */
  dataDirectory?: Pick<DataDirectory, "requireIntact">
  logger: Logger
  /** Records calls made with a key, after they are answered. */
  noteCall?: NoteCall
  /** Records actions of owners. */
  audit?: Audit
}

export type NoteCall = (
  keyId: string,
  call: { at: string; method: string; route: string; status: number; ms: number; ip: string | null },
) => void

export interface AuditedRequest {
  caller: Caller
  params: Record<string, string>
  body: unknown
}
/** Runs a request's work and adds an entry to the audit log if the endpoint has one. */
export type Audit = (
  endpoint: Endpoint,
  request: AuditedRequest,
  work: () => Promise<unknown>,
) => Promise<unknown>

/** Binds one feature's contract to its handlers, with the options that the box uses for all features. */
export function serve<C extends Contract>(
  routes: Pick<Routes, "add">,
  contract: C,
  handlers: Handlers<C>,
  options: ServeOptions,
): void {
  const { audit } = options
  serveContract(routes, contract, audit ? withAudit(contract, handlers, audit) : handlers, serving(options))
}

function withAudit<C extends Contract>(contract: C, handlers: Handlers<C>, audit: Audit): Handlers<C> {
  const entries = Object.entries(contract).map(([name, endpoint]) => {
    const handler = handlers[name] as unknown as (input: AuditedRequest) => unknown
    const auditedHandler = (input: AuditedRequest) => audit(endpoint, input, async () => handler(input))
    return [name, endpoint.access === "public" ? handler : auditedHandler]
  })
  return Object.fromEntries(entries) as Handlers<C>
}

const largeAnswers = createLargeAnswers()

const serving = ({
  authenticate,
  live,
  reserve,
  dataDirectory,
  logger,
  noteCall,
}: ServeOptions): Serving<Caller> => ({
  async admit(request, response, endpoint) {
    response.setMaxListeners(20) // Node warns from 11 listeners; with those of a pipeline, a request has that many.
    const began = performance.now()
    const caller = await authenticate(request, endpoint.kind === "bytes" ? "download" : "header")
    if (noteCall && caller.via === "key")
      response.once("close", () =>
        noteCall(caller.credentialId, {
          at: timestamp(),
          method: request.method,
          route: endpoint.path,
          status: response.statusCode,
          ms: Math.round((performance.now() - began) * 10) / 10,
          ip: request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? null,
        }),
      )
    requireAccess(caller, endpoint)
    // Revoking the credential also ends its running requests, such as streams.
    const tracked = live.track(caller.credentialId, () => response.destroy())
    response.once("close", () => tracked[Symbol.dispose]())
    return caller
  },
  before(endpoint) {
    if (endpoint.method !== "get") dataDirectory?.requireIntact()
  },
  readJson,
  receive: (request, form) => async (options) => {
    const { receiveFile } = await import("./receive-file.ts") // Loads the form parser with the first upload.
    return receiveFile(request, form, options)
  },
  around(request, endpoint, caller, work) {
    const isLarge = endpoint.kind === "json" && endpoint.large === true
    const visitor = `${caller?.credentialId ?? ""} ${endpoint.path}`
    const makeAnswer = () => (isLarge ? largeAnswers.make(request, visitor, work) : work())
    return onBehalfOf({ userId: caller?.userId ?? null }, () =>
      endpoint.method === "delete" && reserve ? reserve.withReserve(makeAnswer) : makeAnswer(),
    )
  },
  async send(request, response, schema, value) {
    response.setHeader("content-type", "application/json; charset=utf-8")
    await sendJson(request, response, { schema, value }, logger)
  },
  refuse: (request, response, error) => sendError(response, request.path, toAppError(error, logger)),
})

/** Maximum size of JSON bodies. */
const maxJsonSize = "10mb"
const jsonReader = (limit: string | number) => express.json({ limit, strict: false, type: () => true })
const readUsualJson = jsonReader(maxJsonSize)

async function readJson(
  request: Request,
  response: Response,
  maxBytes: number | undefined,
): Promise<unknown> {
  // Browsers send forms and text/plain to any site without asking, but need permission for JSON.
  const matches = request.is("application/json")
  if (matches === null || request.headers["content-length"] === "0")
    throw new AppError("invalid_json", sentence("http.no_body"))
  if (matches === false) {
    throw new AppError("unsupported_media_type", sentence("http.send_json"))
  }
  const read = maxBytes === undefined ? readUsualJson : jsonReader(maxBytes)
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
  return request.body as unknown
}
