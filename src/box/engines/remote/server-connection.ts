import type { Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { limitSilence } from "../../core/waiting/time-limit.ts"
import { hideKeyIn } from "./hide-key.ts"
import { toRefusal } from "./refusal.ts"

/** Longest silence of the server, before and during its answer. */
const silenceMs = 120_000
/** Most redirections at one origin. */
const mostHops = 3
/** Largest JSON answer that is read, in bytes: embeddings of a batch take some megabytes. */
const largestJson = 64 << 20

export interface ServerOptions {
  /** What people call it; its host unless given. */
  name?: string
  /** Address up to and with the version, such as `http://192.168.0.5:8080/v1`. */
  baseUrl: string
  /** Asked for with each request; null where it has none. */
  apiKey?(): Promise<string | null>
  outbound: Pick<Outbound, "fetch" | "refusal">
}

/** A model on a server. */
export interface RemoteModel {
  server: ServerOptions
  /** Its name there; the first one that the server lists when left out. */
  name?: string
  /** Tokens of context, as far as they are known. */
  contextSize?: number
  /** Whether it takes pictures; it doesn't as long as nobody says so. */
  vision?: boolean
}

/** Requests to an OpenAI-compatible server; every failure is an AppError and no answer is waited for without end. */
export interface ServerConnection {
  /** What people call the server. */
  readonly name: string
  /** Why local-only keeps the box from asking it; null when it may. */
  refusal(): AppError | null
  /** Takes the key out of what the server says, which it changes. */
  withoutKey(value: unknown): unknown
  /** Sends a request and returns its JSON, without the key; of so many characters at most. */
  json(path: string, body: unknown, signal?: AbortSignal, longest?: number): Promise<unknown>
  /** Sends a request whose answer is a stream; ends with an AppError when the server falls silent. */
  stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<string>
}

export function connectToServer(
  { name, baseUrl, apiKey, outbound }: ServerOptions,
  purpose: EgressPurpose,
): ServerConnection {
  const base = baseUrl.replace(/\/+$/, "")
  const { host, origin } = new URL(base)
  const server = name ?? host
  /** As it was sent last. */
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
      const next = hop < mostHops ? nextAddress(response, address, origin) : null
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
    withoutKey: (value) => hideKeyIn(value, key),
    async json(path, body, signal, longest = largestJson) {
      const silence = limitSilence(silenceMs, silent, signal)
      try {
        const response = await send(path, body, silence.signal)
        let text = ""
        for await (const piece of readText(response, silence.heard)) {
          text += piece
          if (text.length > longest)
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
        yield* readText(response, silence.heard)
      } catch (error) {
        if (!began || error instanceof AppError || signal.aborted) throw toFailure(error, signal)
        throw new AppError("engine_crashed", sentence("remote.broke_off"), { cause: error })
      } finally {
        silence.stop()
      }
    },
  }
}

async function* readText(response: Response, heard: () => void): AsyncGenerator<string> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  for await (const bytes of response.body) {
    heard()
    yield decoder.decode(bytes, { stream: true })
  }
}

/**
 * Where a server sends on to, if that is at its own origin and asks for the same: neither the key nor what people wrote
 * follows a redirection to somebody else.
 */
function nextAddress({ status, headers }: Response, from: string, origin: string): string | null {
  const location = headers.get("location")
  if ((status !== 307 && status !== 308) || location === null || !URL.canParse(location, from)) return null
  const next = new URL(location, from)
  return next.origin === origin ? next.href : null
}
