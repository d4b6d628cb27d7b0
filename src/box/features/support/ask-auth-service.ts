import type { Response } from "undici"
import type { z } from "zod"
import { cloudAccount } from "../../../shared/contract/cloud-account.ts"
import type { JsonEndpoint } from "../../../shared/contract/endpoint.ts"
import { ServiceErrorBody } from "../../../shared/contract/service-errors.ts"
import { tickets } from "../../../shared/contract/tickets.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"

const usualLimitMs = 20_000
/** A ticket may have 20 MB, and the connection may be slow. */
const sendLimitMs = 180_000
const maxAnswerLength = 1_000_000
const keyLifeSeconds = 365 * 24 * 3600

export function askAuthService(
  url: string,
  outbound: Pick<Outbound, "fetch" | "refusal">,
  signal: AbortSignal,
): Omit<AuthService, "url" | "refusal"> {
  async function ask<E extends JsonEndpoint>(
    endpoint: E,
    { bearer, body, query = {}, limitMs = usualLimitMs }: AskOptions,
  ): Promise<z.output<E["output"]>> {
    const search = new URLSearchParams(query).toString()
    const refused = outbound.refusal(url)
    if (refused) throw new ServiceFailure("unreached", refused.sentence, { cause: refused })
    let response: Response
    let text: string
    try {
      // follows no redirect, because a credential may be sent only to this URL
      response = await outbound.fetch(`${url}${endpoint.path}${search === "" ? "" : `?${search}`}`, {
        purpose: "support",
        method: endpoint.method.toUpperCase(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
        headers: {
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      text = await readText(response)
    } catch (cause) {
      signal.throwIfAborted()
      throw neverArrived(cause)
        ? new ServiceFailure("unreached", sentence("support.unreachable"), { cause })
        : new ServiceFailure("lost", sentence("support.connection_broke"), { cause })
    }
    const answer = parse(text)
    if (!response.ok) throw refusal(response, answer)
    const checked = endpoint.output.safeParse(answer)
    if (checked.success) return checked.data as z.output<E["output"]>
    throw new ServiceFailure("lost", sentence("support.unknown_answer"))
  }

  return {
    async createKey(email, password) {
      const { jwt, user } = await ask(cloudAccount.signIn, { body: { email, password } })
      const permissions = { tickets: ["create"] }
      const body = { name: "Casella", expiresIn: keyLifeSeconds, permissions }
      const key = await ask(cloudAccount.createKey, { bearer: jwt, body })
      return { key, email: user.email, name: user.name }
    },
    async endKey(key) {
      await ask(cloudAccount.endKey, { bearer: key })
    },
    createTicket: async (key, body) =>
      (await ask(tickets.create, { bearer: key, body, limitMs: sendLimitMs })).ticket,
    listOwnTickets: async (key, externalId) => {
      const query = { limit: "200", ...(externalId === undefined ? {} : { externalId }) }
      return (await ask(tickets.mine, { bearer: key, query })).tickets
    },
  }
}

interface AskOptions {
  bearer?: string
  body?: object
  query?: Record<string, string>
  limitMs?: number
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    if (size > maxAnswerLength) throw new Error("The answer is too long.")
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function refusal(response: Response, answer: unknown): ServiceFailure {
  const { status } = response
  const known = ServiceErrorBody.safeParse(answer)
  const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"))
  if (known.success) {
    const { code, message, issues } = known.data.error
    return new ServiceFailure("refused", Sentence.asIs(message), {
      status,
      code,
      retryAfterMs,
      ...(issues && { issues }),
    })
  }
  // An intermediary responded, which may have passed the request on.
  const outcome = status >= 500 ? "lost" : "refused"
  return new ServiceFailure(outcome, sentence("support.answered_status", { status }), {
    status,
    retryAfterMs,
  })
}

/** `Retry-After` in seconds or as a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

const beforeSending = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
])

/**
 * Whether a failed request certainly ended before any of it was sent: the name wasn't found, the connection failed or the certificate isn't
 * trusted.
 */
function neverArrived(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AggregateError) return cause.errors.every(neverArrived)
    const { code } = cause as NodeJS.ErrnoException
    if (code !== undefined && (beforeSending.has(code) || /CERT|ERR_TLS|ERR_SSL|UNABLE_TO_/.test(code)))
      return true
  }
  return false
}
