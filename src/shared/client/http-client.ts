import type { z } from "zod"
import { api } from "../contract/api.ts"
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
import { AppError, ErrorBody, OpenAiErrorBody } from "../contract/errors.ts"
import { client as texts } from "../sentences/client.ts"
import { Sentence, sentencesOf } from "../sentences/sentence.ts"
import { readEvents, type Received } from "./event-stream.ts"

const say = sentencesOf("client", texts)

export interface ClientOptions {
  /** Address of the box, such as `http://127.0.0.1:8484`; empty for the page's own origin. */
  baseUrl: string
  /** Sent with every request, such as `{"x-api-key": "box_…"}`; read anew for each where it is a function. */
  headers?: Record<string, string> | (() => Record<string, string>)
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Empty = Record<never, never>
type ParamsOf<E extends Endpoint> = [PathParams<E["path"]>] extends [never]
  ? Empty
  : { params: Record<PathParams<E["path"]>, string> }
type QueryOf<E extends Endpoint> = E extends { query: z.ZodType } ? { query?: QueryInputLoose<E> } : Empty
type BodyOf<E extends Endpoint> = E extends { body: z.ZodType } ? { body: BodyInput<E> } : Empty
/** Numbers and booleans may be given as such; they travel as text. */
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

/** What calling an endpoint gives: checked JSON, a `Response` for bytes, or an iterable of checked events. */
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
}

/** Typed client for the whole contract. Failed calls throw the `AppError` that the box sent. */
export function createClient(options: ClientOptions): Client {
  const { headers } = options
  const headersNow = typeof headers === "function" ? headers : () => headers
  const doFetch = options.fetch ?? ((input: string, init: RequestInit) => fetch(input, init))

  async function request(endpoint: Endpoint, input: LooseInput, call: CallOptions): Promise<Response> {
    const url = options.baseUrl + fillPath(endpoint.path, input.params ?? {}) + queryString(input.query)
    const form = endpoint.kind === "upload" ? uploadForm(endpoint, input) : undefined
    const body = form ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
    const response = await doFetch(url, {
      method: endpoint.method.toUpperCase(),
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

  async function* events(endpoint: StreamEndpoint, input: LooseInput, call: CallOptions) {
    const response = await request(endpoint, input, call)
    yield* readEvents(response, endpoint.event)
  }

  const callers: Record<Endpoint["kind"], (e: never, input: LooseInput, call: CallOptions) => unknown> = {
    json: async (e: JsonEndpoint, input, call) =>
      e.output.parse(await (await request(e, input, call)).json()),
    upload: async (e: UploadEndpoint, input, call) =>
      e.output.parse(await (await request(e, input, call)).json()),
    bytes: request,
    stream: events,
  }

  const client: Record<string, Record<string, unknown>> = {}
  for (const [feature, endpoints] of Object.entries<Contract>(api)) {
    client[feature] = {}
    for (const [name, endpoint] of Object.entries(endpoints)) {
      client[feature][name] = (input: LooseInput = {}, call: CallOptions = {}) =>
        callers[endpoint.kind](endpoint as never, input, call)
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

/** Texts come first: the box checks the file's name and type before it takes all of its bytes. */
function uploadForm({ form: { file, fields } }: UploadEndpoint, input: LooseInput): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields?.parse(input) ?? {})) form.set(name, String(value))
  if (input.file) form.set(file[0], input.file, input.fileName)
  return form
}

/** Rebuilds the error that a failed response carries. */
export async function readError(response: Response): Promise<AppError> {
  const body: unknown = await response.json().catch(() => null)
  const own = ErrorBody.safeParse(body)
  if (own.success) {
    const { code, error, sentence, details } = own.data
    return new AppError(code, Sentence.asIs(error, sentence), { details })
  }
  const openAi = OpenAiErrorBody.safeParse(body)
  if (openAi.success)
    return new AppError("unprocessable", Sentence.asIs(openAi.data.error.message), {
      details: openAi.data.error,
    })
  return new AppError("internal", say("no_reason", { status: response.status }))
}
