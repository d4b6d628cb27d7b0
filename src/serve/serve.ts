import type { Request, RequestHandler, Response } from "express"
import type { z } from "zod"
import type {
  BodyOutput,
  Contract,
  Endpoint,
  Form,
  FormOutput,
  JsonEndpoint,
  Output,
  PathParams,
  QueryOutput,
  StreamEndpoint,
  UploadEndpoint,
} from "../shared/contract/endpoint.ts"
import type { Routes } from "./routes.ts"

/** The input of a handler. `caller` is defined unless the endpoint is public. */
export type HandlerInput<E extends Endpoint, Caller> = {
  params: Record<PathParams<E["path"]>, string>
  query: QueryOutput<E>
  body: BodyOutput<E>
  request: Request
  response: Response
} & (E extends { access: "public" } ? Record<never, never> : { caller: Caller }) &
  (E extends UploadEndpoint ? { receive: Receive<FormOutput<E>> } : Record<never, never>)

/** The output of a handler. Lists in large responses may be async iterables. */
type Answer<E extends Endpoint> = E extends { large: true } ? Lazily<Output<E>> : Output<E>

/** JSON and upload handlers return the body; the others write the response themselves. */
export type Handler<E extends Endpoint, Caller> = (
  input: HandlerInput<E, Caller>,
) => E extends JsonEndpoint | UploadEndpoint ? Answer<E> | Promise<Answer<E>> : Promise<void>

/** A handler for each endpoint. A missing one is a compile error. */
export type Handlers<C extends Contract, Caller> = { [N in keyof C]: Handler<C[N], Caller> }

/** How a particular server processes each request. Errors thrown by any part become a response in `refuse`. */
export interface Serving<Caller> {
  /** Returns the caller of an endpoint that isn't public, if their credential may call it. */
  admit(request: Request, response: Response, endpoint: Endpoint): Promise<Caller>
  /** Runs before anything is read or changed. */
  before?(endpoint: Endpoint): void
  /** Reads a JSON body of at most `longest` bytes. */
  readJson(request: Request, response: Response, maxBytes: number | undefined): Promise<unknown>
  /** Receives a form's file. */
  receive?(request: Request, form: Form): Receive<unknown>
  /** Runs the handler and sends its response. */
  around?(
    request: Request,
    endpoint: Endpoint,
    caller: Caller | undefined,
    work: () => Promise<void>,
  ): Promise<void>
  /** Sends a response after checking it against its schema. */
  send(request: Request, response: Response, schema: z.ZodType, value: unknown): Promise<void>
  refuse(request: Request, response: Response, error: unknown): void
}

/** Binds a feature's contract to its handlers: credentials and access rights, query and body, response, errors. */
export function serve<C extends Contract, Caller>(
  routes: Pick<Routes, "add">,
  contract: C,
  handlers: Handlers<C, Caller>,
  serving: Serving<Caller>,
): void {
  for (const [name, endpoint] of Object.entries(contract)) {
    const handler = handlers[name] as unknown as (input: unknown) => unknown
    routes.add(endpoint.method, endpoint.path, bind(endpoint, handler, serving))
  }
}

function bind<Caller>(
  endpoint: Endpoint,
  handler: (input: unknown) => unknown,
  serving: Serving<Caller>,
): RequestHandler {
  return async (request, response) => {
    try {
      const caller =
        endpoint.access === "public" ? undefined : await serving.admit(request, response, endpoint)
      serving.before?.(endpoint)
      const query = endpoint.query ? endpoint.query.parse(request.query) : {}
      const body = hasBody(endpoint)
        ? endpoint.body.parse(await serving.readJson(request, response, endpoint.maxBodyBytes))
        : undefined
      const receive = endpoint.kind === "upload" ? serving.receive?.(request, endpoint.form) : undefined
      const work = async () => {
        const result = await handler({
          caller,
          params: request.params,
          query,
          body,
          request,
          response,
          receive,
        })
        if (endpoint.kind === "bytes" || endpoint.kind === "stream") return
        if (endpoint.kind === "upload" || response.statusCode !== endpoint.otherStatus) {
          response.status(endpoint.status ?? 200)
        }
        await serving.send(request, response, endpoint.output, result)
      }
      await (serving.around ? serving.around(request, endpoint, caller, work) : work())
    } catch (error) {
      serving.refuse(request, response, error)
    }
  }
}

type WithBody = (JsonEndpoint | StreamEndpoint) & { body: z.ZodType }
const hasBody = (endpoint: Endpoint): endpoint is WithBody =>
  "body" in endpoint && endpoint.body !== undefined

/**
 * Checks a response before it leaves the server. Fields that the contract doesn't declare are never sent. A response that doesn't match is
 * the server's own error.
 */
export function checkAnswer<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error) throw new Error("An answer doesn't fit its contract.", { cause: error })
  return data
}

/** A value whose lists may be async iterables, which are read element by element. */
type Lazily<T> = T extends readonly (infer Element)[]
  ? T | AsyncIterable<Element>
  : T extends object
    ? { [Key in keyof T]: Lazily<T[Key]> }
    : T

export interface ReceiveOptions<Fields> {
  /** Path of the new file; nothing may exist there yet. */
  path: string
  /** Maximum file size in bytes, if the form specifies none. */
  limit?: number
  /** Maximum number of the file's first bytes in the result's `head`. */
  headBytes: number
  /** Called as soon as the head is known; throwing ends the upload. `fields` are those sent before the file. */
  onHead?: (head: Buffer, fileName: string, fields: Fields) => Promise<void>
}

export interface ReceivedFile<Fields = unknown> {
  fileName: string
  size: number
  head: Buffer
  fields: Fields
}

/** Receives a request's file according to its endpoint's form. */
export type Receive<Fields> = (options: ReceiveOptions<Fields>) => Promise<ReceivedFile<Fields>>
