import { createParser } from "eventsource-parser"
import type { z } from "zod"
import type { api } from "../contract/api.ts"
import { AppError, errorStatus } from "../contract/app-error.ts"
import type {
  BodyInput,
  BytesEndpoint,
  Contract,
  Endpoint,
  FormInput,
  JsonEndpoint,
  Output,
  PathParams,
  QueryInput,
  StreamEndpoint,
  StreamEvent,
  UploadEndpoint,
} from "../contract/endpoint.ts"
import type { ErrorBody, OpenAiErrorBody } from "../contract/errors.ts"
import { client, client as texts } from "../sentences/client.ts"
import { splitSentences, Sentence } from "../sentences/sentence.ts"
import type { Route, Routes } from "./routes.ts"

/** An event of a stream with its SSE id, which `Last-Event-ID` accepts to resume the stream. */
export type Received<T> = T & { eventId?: string }

/** Reads a Server-Sent Events response and skips unknown events. */
async function* readEvents<T>(
  response: Response,
  isKnown: (value: unknown) => boolean,
): AsyncGenerator<Received<T>> {
  if (!response.body) throw new AppError("internal", splitSentences("client", client)("no_stream"))
  const pending: Received<T>[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => {
      if (data === "[DONE]") return
      const value: unknown = JSON.parse(data)
      if (isKnown(value)) pending.push({ ...(value as T), ...(id === undefined ? {} : { eventId: id }) })
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* pending.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => undefined) // already closed
  }
}

const say = splitSentences("client", texts)

export interface ClientOptions {
  /** Address of the box, such as `http://127.0.0.1:8484`; empty for the page's own origin. */
  baseUrl: string
  /** Sent with every request, such as `{"x-api-key": "box_…"}`. A function is called for each request. */
  headers?: Record<string, string> | (() => Record<string, string>)
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Empty = Record<never, never>
type ParamsOf<E extends Endpoint> = [PathParams<E["path"]>] extends [never]
  ? Empty
  : { params: Record<PathParams<E["path"]>, string> }
type QueryOf<E extends Endpoint> = E extends { query: z.ZodType } ? { query?: QueryInputLoose<E> } : Empty
type BodyOf<E extends Endpoint> = E extends { body: z.ZodType } ? { body: BodyInput<E> } : Empty
/** Numbers and booleans may be passed directly; they are sent as text. */
type QueryInputLoose<E> = { [K in keyof QueryInput<E>]?: QueryInput<E>[K] | number | boolean }

interface SentFile {
  file: Blob
  fileName: string
}

export interface CallOptions {
  signal?: AbortSignal
  headers?: Record<string, string>
}

type Input<E extends Endpoint> = ParamsOf<E> &
  QueryOf<E> &
  BodyOf<E> &
  (E extends UploadEndpoint ? SentFile & FormInput<E> : Empty)
type Args<I> = Empty extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

/** The result of calling an endpoint: JSON, a `Response` for bytes, or an iterable of events. */
export type CallResult<E extends Endpoint> = E extends JsonEndpoint | UploadEndpoint
  ? Promise<Output<E>>
  : E extends StreamEndpoint
    ? AsyncIterable<Received<StreamEvent<E>>>
    : E extends BytesEndpoint
      ? Promise<Response>
      : never

export type ClientOf<C extends Record<string, Contract>> = {
  [F in keyof C]: { [N in keyof C[F]]: (...args: Args<Input<C[F][N]>>) => CallResult<C[F][N]> }
}
export type Client = ClientOf<typeof api>

interface LooseInput extends Partial<SentFile> {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  /** Text fields of a form. */
  [field: string]: unknown
}

/** Checks for what the box sends. */
export interface Checks {
  /** Returns the response for the caller; throws if it doesn't match the contract. */
  answer(feature: string, name: string, value: unknown): unknown
  /** Whether the type of an event is known. */
  event(feature: string, name: string, value: unknown): boolean
}

/** For clients that ship with the box, such as its page. The box checks what it sends, so a second check isn't needed. */
export const unchecked: Checks = { answer: (_feature, _name, value) => value, event: () => true }

/** Creates calls for these routes of the contract. A failed call throws the `AppError` that the box sent. */
export function createCalls(routes: Routes, options: ClientOptions, checks: Checks): Client {
  const { headers } = options
  const headersNow = typeof headers === "function" ? headers : () => headers
  const doFetch = options.fetch ?? ((input: string, init: RequestInit) => fetch(input, init))

  async function request(route: Route, input: LooseInput, call: CallOptions): Promise<Response> {
    const url = options.baseUrl + fillPath(route.path, input.params ?? {}) + queryString(input.query)
    const form = route.form && uploadForm(route.form, input)
    const body = form ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
    const response = await doFetch(url, {
      method: route.method.toUpperCase(),
      headers: {
        ...headersNow(),
        ...(body !== undefined && !form ? { "content-type": "application/json" } : {}),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(call.signal ? { signal: call.signal } : {}),
    }).catch((cause: unknown) => {
      if (call.signal?.aborted) throw cause
      throw new AppError("unavailable", say("unreachable"), { cause })
    })
    if (!response.ok) throw await readError(response)
    return response
  }

  type Call = [route: Route, input: LooseInput, call: CallOptions]

  async function* events(isKnown: (value: unknown) => boolean, ...call: Call) {
    yield* readEvents(await request(...call), isKnown)
  }

  const client: Record<string, Record<string, unknown>> = {}
  for (const [feature, endpoints] of Object.entries(routes)) {
    const calls: Record<string, unknown> = (client[feature] = {})
    for (const [name, route] of Object.entries(endpoints)) {
      calls[name] = (input: LooseInput = {}, call: CallOptions = {}) => {
        if (route.kind === "stream")
          return events((value) => checks.event(feature, name, value), route, input, call)
        const response = request(route, input, call)
        if (route.kind === "bytes") return response
        return response.then(async (sent) => checks.answer(feature, name, await sent.json()))
      }
    }
  }
  return client as Client
}

function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
}

function queryString(query: Record<string, string | number | boolean | undefined> = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size > 0 ? `?${search.toString()}` : ""
}

/** Text fields come first, because the box checks the file's name and type before it receives all the bytes. */
function uploadForm({ file, fields }: NonNullable<Route["form"]>, input: LooseInput): FormData {
  const form = new FormData()
  for (const name of fields) {
    const text = input[name]
    if (typeof text === "string") form.set(name, text)
  }
  if (input.file) form.set(file, input.file, input.fileName)
  return form
}

/** Statuses of a proxy that currently can't reach the box. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Rebuilds the error from a failed response. */
export async function readError(response: Response): Promise<AppError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody | OpenAiErrorBody> | null
  const error = body?.error
  if (typeof error === "string" && isCode(body)) {
    const { code, sentence, details } = body
    return new AppError(code, Sentence.asIs(error, sentence), { details })
  }
  if (typeof error === "object" && typeof error.message === "string")
    return new AppError("unprocessable", Sentence.asIs(error.message), { details: error })
  const code = gatewayStatuses.has(response.status) ? "unavailable" : "internal"
  return new AppError(code, say("no_reason", { status: response.status }))
}

const isCode = (body: Partial<ErrorBody | OpenAiErrorBody> | null): body is ErrorBody =>
  body !== null && "code" in body && typeof body.code === "string" && Object.hasOwn(errorStatus, body.code)
