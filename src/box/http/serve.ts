import express, { type Request, type RequestHandler, type Response, type Router } from "express"
import type {
  BodyOutput,
  BytesEndpoint,
  Contract,
  Endpoint,
  FormOutput,
  JsonEndpoint,
  Output,
  PathParams,
  QueryOutput,
  StreamEndpoint,
  UploadEndpoint,
} from "../../shared/contract/endpoint.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { Place } from "../core/data-directory/watch-place.ts"
import type { DiskReserve } from "../core/disk/disk-reserve.ts"
import type { Logger } from "../core/logger.ts"
import { onBehalfOf } from "../core/outbound/on-behalf-of.ts"
import type { Authenticate } from "./authenticate.ts"
import { requireAccess, type Caller } from "./caller.ts"
import { sendError, toAppError } from "./error-response.ts"
import { jsonPieces, sendPieces, type Lazily } from "./json-pieces.ts"
import { createLargeAnswers } from "./large-answers.ts"
import type { LiveConnections } from "./live-connections.ts"
import { receiveFile, type Receive } from "./multipart.ts"

/** What a handler gets. `caller` is there unless the endpoint is public. */
export type HandlerInput<E extends Endpoint> = {
  params: Record<PathParams<E["path"]>, string>
  query: QueryOutput<E>
  body: BodyOutput<E>
  request: Request
  response: Response
} & (E extends { access: "public" } ? Record<never, never> : { caller: Caller }) &
  (E extends UploadEndpoint ? { receive: Receive<FormOutput<E>> } : Record<never, never>)

/** What a handler answers; lists of a large answer may come one element after another. */
type Answer<E extends Endpoint> = E extends { large: true } ? Lazily<Output<E>> : Output<E>

/** JSON and upload handlers answer the body; the others write the response themselves. */
export type Handler<E extends Endpoint> = (
  input: HandlerInput<E>,
) => E extends JsonEndpoint | UploadEndpoint ? Answer<E> | Promise<Answer<E>> : Promise<void>

/** One handler for each endpoint: a missing one doesn't compile. */
export type Handlers<C extends Contract> = { [N in keyof C]: Handler<C[N]> }

export interface ServeOptions {
  authenticate: Authenticate
  live: LiveConnections
  /** What is deleted may use it on a full disk. */
  reserve?: Pick<DiskReserve, "orFree">
  /** Only reading goes on when it isn't kept. */
  place?: Pick<Place, "requireKept">
  logger: Logger
}

/** Bodies of JSON endpoints (decisions.md 4). */
const longestJson = "10mb"
const jsonReader = (limit: string | number) => express.json({ limit, strict: false, type: () => true })
const readJson = jsonReader(longestJson)

/** Binds one feature's contract to its handlers: credential, scope, body and query checks, answer, errors. */
export function serve<C extends Contract>(
  router: Router,
  contract: C,
  handlers: Handlers<C>,
  options: ServeOptions,
): void {
  for (const [name, endpoint] of Object.entries(contract)) {
    const handler = handlers[name] as unknown as (input: unknown) => unknown
    router[endpoint.method](endpoint.path, bind(endpoint, handler, options))
  }
}

function bind(
  endpoint: Endpoint,
  handler: (input: unknown) => unknown,
  options: ServeOptions,
): RequestHandler {
  return async (request, response) => {
    try {
      const caller =
        endpoint.access === "public"
          ? undefined
          : await options.authenticate(request, endpoint.kind === "bytes" ? "download" : "header")
      if (caller) {
        requireAccess(caller, endpoint)
        // Revoking the credential ends the request too, however long it streams.
        const tracked = options.live.track(caller.credentialId, () => response.destroy())
        response.once("close", () => tracked[Symbol.dispose]())
      }
      if (endpoint.method !== "get") options.place?.requireKept()
      const query = endpoint.query ? endpoint.query.parse(request.query) : {}
      const body = await readBody(endpoint, request, response)
      const receive: Receive<unknown> | undefined =
        endpoint.kind === "upload" ? (where) => receiveFile(request, endpoint.form, where) : undefined
      const input = { caller, params: request.params, query, body, request, response, receive }
      const make = () => answer(endpoint, handler, input, options.logger)
      const isLarge = endpoint.kind === "json" && endpoint.large === true
      const visitor = `${caller?.credentialId ?? ""} ${endpoint.path}`
      const work = () => (isLarge ? largeAnswers.make(request, visitor, make) : make())
      await onBehalfOf({ userId: caller?.userId ?? null }, () =>
        endpoint.method === "delete" && options.reserve ? options.reserve.orFree(work) : work(),
      )
    } catch (error) {
      sendError(response, request.path, toAppError(error, options.logger))
    }
  }
}

const largeAnswers = createLargeAnswers()

async function answer(
  endpoint: Endpoint,
  handler: (input: unknown) => unknown,
  input: {
    caller: Caller | undefined
    params: unknown
    query: unknown
    body: unknown
    request: Request
    response: Response
  },
  logger: Logger,
): Promise<void> {
  const { request, response } = input
  const result = await handler(input)
  if (endpoint.kind === "bytes" || endpoint.kind === "stream") return
  if (endpoint.kind === "upload" || response.statusCode !== endpoint.otherStatus) {
    response.status(endpoint.status ?? 200)
  }
  response.setHeader("content-type", "application/json; charset=utf-8")
  await sendPieces(request, response, jsonPieces(endpoint.output, result), logger)
}

async function readBody(endpoint: Endpoint, request: Request, response: Response): Promise<unknown> {
  if (!hasBody(endpoint)) return undefined
  // Browsers send forms and text/plain anywhere without asking; JSON they must ask for.
  const matches = request.is("application/json")
  if (matches === null || request.headers["content-length"] === "0")
    throw new AppError("invalid_json", "The body is missing.")
  if (matches === false) {
    throw new AppError("unsupported_media_type", "Send the body as JSON with Content-Type: application/json.")
  }
  const longest = endpoint.kind === "json" ? endpoint.longestBody : undefined
  const read = longest === undefined ? readJson : jsonReader(longest)
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
  return endpoint.body.parse(request.body)
}

function hasBody(
  endpoint: JsonEndpoint | UploadEndpoint | BytesEndpoint | StreamEndpoint,
): endpoint is (JsonEndpoint | StreamEndpoint) & { body: NonNullable<JsonEndpoint["body"]> } {
  return "body" in endpoint && endpoint.body !== undefined
}
