import type { Response } from "undici"
import type { z } from "zod"
import { cloudAccount, type CreatedCloudKey } from "../../../shared/contract/cloud-account.ts"
import type { JsonEndpoint } from "../../../shared/contract/endpoint.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import { ServiceErrorBody, type ServiceIssue } from "../../../shared/contract/service-errors.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { tickets, type OwnTicket, type TicketReceipt } from "../../../shared/contract/tickets.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/**
 * A request to the auth service that didn't succeed. `unreached`: it never arrived. `lost`: it may have been carried
 * out, but no answer says so. `refused`: the service answered that it did not do it.
 */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure"
  readonly sentence: Sentence
  readonly outcome: "unreached" | "lost" | "refused"
  /** HTTP status of a refusal, 0 otherwise. */
  readonly status: number
  /** Code in the body of a refusal; null when something in between answered. */
  readonly code: string | null
  readonly issues: ServiceIssue[]
  /** What the service asked to wait for, if it did. */
  readonly retryAfterMs: number | null

  constructor(
    outcome: ServiceFailure["outcome"],
    sentence: Sentence,
    details: {
      cause?: unknown
      status?: number
      code?: string
      issues?: ServiceIssue[]
      retryAfterMs?: number | null
    } = {},
  ) {
    super(sentence.text, { cause: details.cause })
    this.sentence = sentence
    this.outcome = outcome
    this.status = details.status ?? 0
    this.code = details.code ?? null
    this.issues = details.issues ?? []
    this.retryAfterMs = details.retryAfterMs ?? null
  }
}

/** The auth service, as the box uses it. Everything throws `ServiceFailure`, or the signal's reason. */
export interface AuthService {
  url: string
  /** Why local-only keeps the box from asking it; null when it may. */
  refusal(): AppError | null
  /** Signs in and makes a key that can create tickets and nothing else. */
  createKey(email: string, password: string): Promise<{ key: CreatedCloudKey; email: string; name: string }>
  endKey(key: string): Promise<void>
  createTicket(key: string, body: object): Promise<TicketReceipt>
  /** The newest 200 of the key's owner, or those with this external id. */
  ownTickets(key: string, externalId?: string): Promise<OwnTicket[]>
}

const usualLimitMs = 20_000
/** A ticket may have 20 MB, on a slow line. */
const sendLimitMs = 180_000
const longestAnswer = 1_000_000
const keyLifeSeconds = 365 * 24 * 3600

export function createAuthService(
  url: string,
  outbound: Pick<Outbound, "fetch" | "refusal">,
  signal: AbortSignal,
): AuthService {
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
      // a credential goes to this address only: no redirect is followed
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
    url,
    refusal: () => outbound.refusal(url),
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
    ownTickets: async (key, externalId) => {
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
    if (size > longestAnswer) throw new Error("The answer is too long.")
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
  const retryAfterMs = waitOf(response.headers.get("retry-after"))
  if (known.success) {
    const { code, message, issues } = known.data.error
    return new ServiceFailure("refused", Sentence.asIs(message), {
      status,
      code,
      retryAfterMs,
      ...(issues && { issues }),
    })
  }
  // Something between here and the service answered: it may have passed the request on.
  const outcome = status >= 500 ? "lost" : "refused"
  return new ServiceFailure(outcome, sentence("support.answered_status", { status }), {
    status,
    retryAfterMs,
  })
}

/** `Retry-After` as seconds or as a date. */
function waitOf(header: string | null): number | null {
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

/** Whether a failed request certainly ended before any of it was sent: no name, no connection, no trusted certificate. */
function neverArrived(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AggregateError) return cause.errors.every(neverArrived)
    const { code } = cause as NodeJS.ErrnoException
    if (code !== undefined && (beforeSending.has(code) || /CERT|ERR_TLS|ERR_SSL|UNABLE_TO_/.test(code)))
      return true
  }
  return false
}
