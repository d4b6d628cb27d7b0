import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { secretsIn, sessionSecretHeader } from "../../shared/contract/session.ts"
import type { Caller } from "./caller.ts"
import type { DownloadTickets } from "./download-tickets.ts"
import { countHeader, type Guard } from "./guard.ts"
import { createWrongKeys } from "./wrong-keys.ts"

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

export interface AuthenticateDeps {
  store: CredentialStore
  guard: Guard
  tickets: Pick<DownloadTickets, "take">
  /** Part of the cookie's name. */
  port: number
  /** Token of boxes that forward requests; null: there are none. */
  forwardingToken: string | null
}

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
}: AuthenticateDeps): Authenticate {
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
