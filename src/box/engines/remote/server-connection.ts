import type { Response } from "undici"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { limitSilence } from "../../core/waiting/abort-and-timeout.ts"
import { toRefusal } from "./refusal.ts"

/** Shorter keys are placeholder words, such as `none`, `EMPTY` or `lm-studio`. */
const minSecretLength = 12
const hidden = "[key]"

/** Removes the API key from a server's text. Some servers repeat a key that they reject, and their text is shown and stored. */
function hideKey(text: string, key: string | null): string {
  return key === null || key.length < minSecretLength ? text : text.replaceAll(key, hidden)
}

/** Removes the key from all texts in a parsed answer. Changes the answer in place. */
function hideKeyIn(value: unknown, key: string | null): unknown {
  if (typeof value === "string") return hideKey(value, key)
  if (key === null || key.length < minSecretLength || typeof value !== "object" || value === null)
    return value
  const waiting: object[] = [value]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const [name, part] of Object.entries(next)) {
      if (typeof part === "string") Reflect.set(next, name, hideKey(part, key))
      else if (typeof part === "object" && part !== null) waiting.push(part as object)
    }
  }
  return value
}

/** Maximum silence of the server, in milliseconds, before and during its answer. */
const silenceMs = 120_000
/** Maximum number of redirects within one origin. */
const maxHops = 3
/** Maximum size of a JSON answer, in bytes: embeddings of a batch take a few megabytes. */
const largestJson = 64 << 20

export interface ServerOptions {
  /** Display name. Defaults to the host. */
  name?: string
  /** URL up to and including the version, such as `http://192.168.0.5:8080/v1`. */
  baseUrl: string
  /** Called for each request; null if the server needs no key. */
  apiKey?(): Promise<string | null>
  outbound: Pick<Outbound, "fetch" | "refusal">
}

/** A model on a server. */
export interface RemoteModel {
  server: ServerOptions
  /** The model's name on the server. Defaults to the first model that the server lists. */
  name?: string
  /** Context window in tokens, if known. */
  contextSize?: number
  /** Whether the model accepts images; false by default. */
  vision?: boolean
}

/** Requests to an OpenAI-compatible server. Every failure is an AppError, and no request waits forever. */
export interface ServerConnection {
  /** Display name of the server. */
  readonly name: string
  /** The reason why local-only mode blocks requests to the server; null if they are allowed. */
  refusal(): AppError | null
  /** Removes the key from a server's answer. Changes the answer in place. */
  redactKey(value: unknown): unknown
  /** Sends a request and returns its JSON without the key. Throws if the answer is longer than `longest` characters. */
  json(path: string, body: unknown, signal?: AbortSignal, maxBytes?: number): Promise<unknown>
  /** Sends a request whose answer is a stream. Throws AppError if the server falls silent. */
  stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<string>
}

export function connectToServer(
  { name, baseUrl, apiKey, outbound }: ServerOptions,
  purpose: EgressPurpose,
): ServerConnection {
  const base = baseUrl.replace(/\/+$/, "")
  const { host, origin } = new URL(base)
  const server = name ?? host
  /** The key sent with the last request. */
  let key: string | null = null

  const send = async (path: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    const sentKey = (await apiKey?.()) ?? null
    key = sentKey
    const request = {
      purpose,
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(sentKey === null ? {} : { authorization: `Bearer ${sentKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    }
    let address = `${base}${path}`
    for (let hop = 0; ; hop++) {
      const response = await outbound.fetch(address, request)
      if (response.ok) return response
      const next = hop < maxHops ? nextAddress(response, address, origin) : null
      if (next === null) throw await toRefusal(response, server, (answer) => hideKeyIn(answer, sentKey))
      await response.body?.cancel()
      address = next
    }
  }
  const silent = () => new AppError("unavailable", sentence("remote.no_answer", { server }))
  const toFailure = (error: unknown, signal?: AbortSignal): unknown => {
    if (error instanceof AppError || signal?.aborted) return error
    const code = error instanceof SyntaxError ? "remote.not_json" : "remote.unreachable"
    return new AppError("unavailable", sentence(code, { server }), { cause: error })
  }

  return {
    name: server,
    refusal: () => outbound.refusal(base),
    redactKey: (value) => hideKeyIn(value, key),
    async json(path, body, signal, maxBytes = largestJson) {
      const silence = limitSilence(silenceMs, silent, signal)
      try {
        const response = await send(path, body, silence.signal)
        let text = ""
        for await (const piece of readText(response, silence.recordActivity)) {
          text += piece
          if (text.length > maxBytes)
            throw new AppError("unavailable", sentence("remote.answer_too_large", { server }))
        }
        return hideKeyIn(JSON.parse(text), key)
      } catch (error) {
        throw toFailure(error, signal)
      } finally {
        silence.stop()
      }
    },
    async *stream(path, body, signal) {
      const silence = limitSilence(silenceMs, silent, signal)
      let began = false
      try {
        const response = await send(path, body, silence.signal)
        began = true
        yield* readText(response, silence.recordActivity)
      } catch (error) {
        if (!began || error instanceof AppError || signal.aborted) throw toFailure(error, signal)
        throw new AppError("engine_crashed", sentence("remote.broke_off"), { cause: error })
      } finally {
        silence.stop()
      }
    },
  }
}

async function* readText(response: Response, recordActivity: () => void): AsyncGenerator<string> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  for await (const bytes of response.body) {
    recordActivity()
    yield decoder.decode(bytes, { stream: true })
  }
}

/**
 * Returns the target of a redirect if it has the same origin and keeps the method and body. Neither the key nor the user's text may follow
 * a redirect to someone else.
 */
function nextAddress({ status, headers }: Response, from: string, origin: string): string | null {
  const location = headers.get("location")
  if ((status !== 307 && status !== 308) || location === null || !URL.canParse(location, from)) return null
  const next = new URL(location, from)
  return next.origin === origin ? next.href : null
}

const Models = z.object({ data: z.array(z.object({ id: z.string() })) })

/** The model's name on a server. If no name is configured, the server is queried once. */
export interface ModelName {
  get(signal?: AbortSignal): Promise<string>
  /** The name, if it is known without a query. */
  known(): string | null
}

export function createModelName(server: ServerConnection, given: string | undefined): ModelName {
  let name = given ?? null
  return {
    known: () => name,
    async get(signal) {
      if (name !== null) return name
      const parsed = Models.safeParse(await server.json("/models", undefined, signal))
      const first = parsed.success ? parsed.data.data[0]?.id : undefined
      if (first === undefined) throw new AppError("unavailable", sentence("remote.no_model"))
      name = first
      return first
    },
  }
}
