import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import { secretsIn, sessionSecretHeader, downloadTicket } from "../../shared/contract/session.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { hashSecret, newSecret } from "../core/ids.ts"
import { isLoopbackAddress } from "../core/outbound/loopback.ts"
import { isForwarded } from "./box-token.ts"
import type { Caller } from "./caller.ts"
import { countHeader, type Guard } from "./guard.ts"

/** Maximum wrong keys from another computer within a period. After that, all keys from it are rejected until the period ends. */
const maxWrong = 20
const withinMs = 60_000
/** Maximum addresses remembered, which limits memory however many addresses try. */
const maxAddresses = 10_000

interface WrongKeys {
  /** Throws `rate_limited` for another computer that has sent too many wrong keys. */
  require(request: IncomingMessage): void
  note(request: IncomingMessage): void
}

/** Keys can't be guessed; the limit saves the box work and keeps its log readable. */
export function createWrongKeys(
  now: () => number = () => performance.now(),
  forwardingToken: string | null = null,
): WrongKeys {
  const byAddress = new Map<string, { count: number; since: number }>()

  function getRemoteAddress(request: IncomingMessage): string | undefined {
    const { remoteAddress } = request.socket
    if (remoteAddress === undefined || isLoopbackAddress(remoteAddress)) return undefined
    return isForwarded(request, forwardingToken) ? undefined : remoteAddress
  }

  function wrongFrom(address: string): { count: number; since: number } {
    const known = byAddress.get(address)
    return known && now() - known.since < withinMs ? known : { count: 0, since: now() }
  }

  return {
    require(request) {
      const address = getRemoteAddress(request)
      if (address !== undefined && wrongFrom(address).count >= maxWrong)
        throw new AppError("rate_limited", sentence("http.too_many_wrong_keys"))
    },
    note(request) {
      const address = getRemoteAddress(request)
      if (address === undefined) return
      const { count, since } = wrongFrom(address)
      byAddress.delete(address)
      byAddress.set(address, { count: count + 1, since })
      const [oldest] = byAddress.keys()
      if (byAddress.size > maxAddresses && oldest !== undefined) byAddress.delete(oldest)
    },
  }
}

/** The session that belongs to a cookie. */
export interface FoundSession {
  caller: Caller
  /** Whether this is the secret issued to the session's page. */
  isSecret(secret: string): boolean
}

/** Account lookups needed to check a credential. */
export interface CredentialStore {
  callerOfKey(key: string): Promise<Caller | null>
  findSession(token: string): Promise<FoundSession | null>
}

/**
 * Ways to send a session's secret: in a header, or as a WebSocket subprotocol, because pages can't set headers there. Downloads started by
 * the browser itself may use a ticket in the URL instead.
 */
export type Carrier = "header" | "socket" | "download"

export type Authenticate = (request: IncomingMessage, carrier: Carrier) => Promise<Caller>

const maxCredentialLength = 256

/** Cookies ignore ports, so the name contains the port. Otherwise two boxes on one computer would end each other's sessions. */
export const sessionCookie = (port: number) => `casella_session_${port}`

/** Port for the cookie's name. It is the port that browsers use, so that boxes that replace each other recognise each other's sessions. */
export const sessionPort = (publicUrl: string | null, port: number): number =>
  publicUrl === null ? port : Number(new URL(publicUrl).port || 443)

/**
 * Identifies the caller of a request: by exactly one `x-api-key`; on `/api/v1/*` and `/api/mcp` also by `Authorization: Bearer`; otherwise,
 * for requests of the box's own page, by the session cookie together with its secret. Throws `unauthorized`.
 */
export function createAuthenticate({
  store,
  guard,
  tickets,
  port,
  forwardingToken,
}: {
  store: CredentialStore
  guard: Guard
  tickets: Pick<DownloadTickets, "take">
  /** Part of the cookie's name. */
  port: number
  /** Token of boxes that forward requests; null: there are none. */
  forwardingToken: string | null
}): Authenticate {
  const wrongKeys = createWrongKeys(undefined, forwardingToken)
  return async (request, carrier) => {
    const key = readKey(request)
    if (key !== undefined) {
      wrongKeys.require(request)
      const caller = await store.callerOfKey(key)
      if (!caller) {
        wrongKeys.note(request)
        throw new AppError("unauthorized", sentence("http.key_invalid"))
      }
      return caller
    }
    const token = readCookie(request, sessionCookie(port))
    const session = token !== undefined && guard.isOwnPage(request) ? await store.findSession(token) : null
    if (session && isProven(request, carrier, session)) return session.caller
    throw new AppError("unauthorized", sentence("http.key_missing"))
  }

  function isProven(request: IncomingMessage, carrier: Carrier, session: FoundSession): boolean {
    const secret = readSecret(request, carrier)
    if (secret !== undefined) return session.isSecret(secret)
    return carrier === "download" && tickets.take(session.caller.credentialId, request.url ?? "")
  }
}

/** Returns the secret of a request, or undefined if it is missing or sent twice. */
export function readSecret(request: IncomingMessage, carrier: Carrier): string | undefined {
  const header = carrier === "socket" ? "sec-websocket-protocol" : sessionSecretHeader
  const value = request.headers[header]
  if (typeof value !== "string" || countHeader(request, header) !== 1) return undefined
  const [secret, ...more] = carrier === "socket" ? secretsIn(value) : [value]
  return more.length === 0 && secret !== undefined && secret.length <= maxCredentialLength
    ? secret
    : undefined
}

function readKey(request: IncomingMessage): string | undefined {
  if (countHeader(request, "x-api-key") > 0) {
    const value = request.headers["x-api-key"]
    if (countHeader(request, "x-api-key") !== 1 || typeof value !== "string" || value === "")
      throw new AppError("unauthorized", sentence("http.one_key"))
    return requireKeyFormat(value)
  }
  if (!/^\/api\/(v1|mcp)([/?]|$)/.test(request.url ?? "") || countHeader(request, "authorization") === 0)
    return undefined
  const bearer = /^Bearer ([^\s,]+)$/i.exec(request.headers.authorization ?? "")?.[1]
  if (countHeader(request, "authorization") !== 1 || bearer === undefined)
    throw new AppError("unauthorized", sentence("http.one_bearer"))
  return requireKeyFormat(bearer)
}

/** Returns the key if its format is valid. Throws `unauthorized` for a truncated key or any other value. */
function requireKeyFormat(value: string): string {
  if (/^boxe?_[A-Za-z0-9_-]{43}$/.test(value)) return value
  throw new AppError("unauthorized", sentence("http.key_invalid"))
}

/**
 * Returns the value of a cookie, or undefined if it wasn't sent. Throws `unauthorized` if it was sent twice, because another port of the
 * computer may have set one of them.
 */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  const values = (request.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim().split("=", 2))
    .filter(([key]) => key?.trim() === name)
    .map(([, value = ""]) => value)
  if (values.length > 1) throw new AppError("unauthorized", sentence("http.second_cookie"))
  const [value] = values
  return value !== undefined && value.length <= maxCredentialLength ? value : undefined
}

/**
 * Tickets for downloads by the browser itself, which doesn't send the page's secret. Each is valid once, for one session and exactly one
 * path. An interrupted download starts again with another ticket.
 */
export interface DownloadTickets {
  /** Returns the path with a new ticket. */
  issue(sessionId: string, path: string): string
  /** Redeems the ticket in a request's URL. Returns whether it is valid for this session and path. */
  take(sessionId: string, address: string): boolean
}

interface Ticket {
  sessionId: string
  path: string
  /** On the clock of `performance.now()`, in ms. */
  expiresAt: number
}

const lifetimeMs = 60_000
/** Maximum tickets per session. A further ticket replaces the oldest. */
const maxTickets = 100

export function createDownloadTickets(): DownloadTickets {
  const tickets = new Map<string, Ticket>()
  const getKey = (secret: string) => hashSecret(secret).toString("base64url")

  return {
    issue(sessionId, path) {
      for (const [key, { expiresAt }] of tickets) if (expiresAt <= performance.now()) tickets.delete(key)
      const own = [...tickets].filter(([, ticket]) => ticket.sessionId === sessionId)
      for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - maxTickets))) tickets.delete(oldest)
      const secret = newSecret()
      tickets.set(getKey(secret), { sessionId, path, expiresAt: performance.now() + lifetimeMs })
      return `${path}${path.includes("?") ? "&" : "?"}${downloadTicket}=${secret}`
    },
    take(sessionId, address) {
      const [, path, secret = ""] = ending.exec(address) ?? []
      const key = getKey(secret)
      const ticket = tickets.get(key)
      tickets.delete(key)
      return (
        ticket !== undefined &&
        ticket.sessionId === sessionId &&
        ticket.path === path &&
        ticket.expiresAt > performance.now()
      )
    },
  }
}

const ending = new RegExp(String.raw`^([^?]*(?:\?.*)?)[?&]${downloadTicket}=([\w-]{43})$`)
