import { z } from "zod"
import type { Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { limitSilence } from "../../core/waiting/time-limit.ts"

/** Longest silence of the server, before and during its answer. */
const silenceMs = 120_000
/** Largest JSON answer that is read, in bytes: embeddings of a batch take some megabytes. */
const largestJson = 64 << 20

export interface ServerOptions {
  /** Address up to and with the version, such as `http://192.168.0.5:8080/v1`. */
  baseUrl: string
  apiKey?: string
  outbound: Pick<Outbound, "fetch" | "refusal">
}

/** Requests to an OpenAI-compatible server; every failure is an AppError and no answer is waited for without end. */
export interface ServerConnection {
  /** Why local-only keeps the box from asking it; null when it may. */
  refusal(): AppError | null
  /** Sends a request and returns its JSON. */
  json(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** Sends a request whose answer is a stream; ends with an AppError when the server falls silent. */
  stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<string>
}

export function connectToServer(
  { baseUrl, apiKey, outbound }: ServerOptions,
  purpose: EgressPurpose,
): ServerConnection {
  const base = baseUrl.replace(/\/+$/, "")

  const send = async (path: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    const response = await outbound.fetch(`${base}${path}`, {
      purpose,
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    })
    if (!response.ok) throw await toRefusal(response)
    return response
  }

  return {
    refusal: () => outbound.refusal(base),
    async json(path, body, signal) {
      const silence = limitSilence(silenceMs, silent, signal)
      try {
        const response = await send(path, body, silence.signal)
        let text = ""
        for await (const piece of readText(response, silence.heard)) {
          text += piece
          if (text.length > largestJson)
            throw new AppError("unavailable", sentence("remote.answer_too_large"))
        }
        return JSON.parse(text)
      } catch (error) {
        throw toFailure(error, signal)
      } finally {
        silence.stop()
      }
    },
    async *stream(path, body, signal) {
      const silence = limitSilence(silenceMs, silent, signal)
      try {
        yield* readText(await send(path, body, silence.signal), silence.heard)
      } catch (error) {
        throw toFailure(error, signal)
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

const silent = () => new AppError("unavailable", sentence("remote.no_answer"))

function toFailure(error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof AppError || signal?.aborted) return error
  if (error instanceof SyntaxError)
    return new AppError("unavailable", sentence("remote.not_json"), {
      cause: error,
    })
  return new AppError("unavailable", sentence("remote.unreachable"), {
    cause: error,
  })
}

const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) })

async function toRefusal(response: Response): Promise<AppError> {
  const reason = await readReason(response)
  const because = (what: Sentence) =>
    reason === null ? what : sentence("remote.says", { what, words: reason })
  // The key must not follow a redirection to somebody else.
  if (response.status < 400) return new AppError("unavailable", sentence("remote.redirects"))
  switch (response.status) {
    case 401:
    case 403:
      return new AppError("unavailable", sentence("remote.key_refused"))
    case 404:
      return new AppError("unavailable", because(sentence("remote.address_unknown")))
    case 429:
      return new AppError("rate_limited", sentence("remote.busy"))
    case 400:
    case 413:
    case 422:
      return new AppError("validation", because(sentence("remote.request_refused")))
    default:
      return new AppError("unavailable", because(sentence("remote.failed", { status: response.status })))
  }
}

/** The server's own words, cut short. */
async function readReason(response: Response): Promise<string | null> {
  const text = await response.text().catch(() => "")
  const parsed = Refusal.safeParse(tryJson(text.slice(0, 10_000)))
  if (!parsed.success) return null
  const { error } = parsed.data
  return (typeof error === "string" ? error : error.message).slice(0, 300)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
