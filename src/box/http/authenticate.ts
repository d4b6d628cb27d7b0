import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { secretsIn, sessionSecretHeader } from "../../shared/contract/session.ts"
import type { Caller } from "./caller.ts"
import type { DownloadTickets } from "./download-tickets.ts"
import { countHeader, type Guard } from "./guard.ts"
import { createWrongKeys } from "./wrong-keys.ts"

/** The session of a cookie. */
export interface FoundSession {
  caller: Caller
  /** Whether this is the secret that the session's page was given. */
  isSecret(secret: string): boolean
}

/** What checking a credential needs of the accounts. */
export interface CredentialStore {
  callerOfKey(key: string): Promise<Caller | null>
  findSession(token: string): Promise<FoundSession | null>
}

/**
 * Where a session's secret may be: in a header; among the subprotocols of a WebSocket, which has no headers of a page's;
 * for what browsers download themselves a ticket may stand in the address instead.
 */
export type Carrier = "header" | "socket" | "download"

export type Authenticate = (request: IncomingMessage, carrier: Carrier) => Promise<Caller>

export interface AuthenticateDeps {
  store: CredentialStore
  guard: Guard
  tickets: Pick<DownloadTickets, "take">
  /** Names the cookie. */
  port: number
  /** Of boxes that pass on requests; null: there are none. */
  forwardingToken: string | null
}

const longestCredential = 256

/** Cookies ignore ports, so the name carries it: two boxes on one computer don't end each other's session. */
export const sessionCookie = (port: number) => `casella_session_${port}`

/** The port that names it: what browsers use, so that boxes which take each other's place know each other's sessions. */
export const sessionPort = (publicUrl: string | null, port: number): number =>
  publicUrl === null ? port : Number(new URL(publicUrl).port || 443)

/**
 * Finds who makes a request: exactly one `x-api-key`, on `/api/v1/*` and `/api/mcp` also `Authorization: Bearer`, otherwise the app's
 * session, for requests that the box's own page makes: its cookie together with its secret. Throws `unauthorized`.
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

/** The secret of a request. One that was sent twice is none. */
export function readSecret(request: IncomingMessage, carrier: Carrier): string | undefined {
  const header = carrier === "socket" ? "sec-websocket-protocol" : sessionSecretHeader
  const value = request.headers[header]
  if (typeof value !== "string" || countHeader(request, header) !== 1) return undefined
  const [secret, ...more] = carrier === "socket" ? secretsIn(value) : [value]
  return more.length === 0 && secret !== undefined && secret.length <= longestCredential ? secret : undefined
}

function readKey(request: IncomingMessage): string | undefined {
  if (countHeader(request, "x-api-key") > 0) {
    const value = request.headers["x-api-key"]
    if (countHeader(request, "x-api-key") !== 1 || typeof value !== "string" || value === "")
      throw new AppError("unauthorized", sentence("http.one_key"))
    return keyLike(value)
  }
  if (!/^\/api\/(v1|mcp)([/?]|$)/.test(request.url ?? "") || countHeader(request, "authorization") === 0)
    return undefined
  const bearer = /^Bearer ([^\s,]+)$/i.exec(request.headers.authorization ?? "")?.[1]
  if (countHeader(request, "authorization") !== 1 || bearer === undefined)
    throw new AppError("unauthorized", sentence("http.one_bearer"))
  return keyLike(bearer)
}

/** The key, if it can be one. Throws `unauthorized` for what was cut off or is something else. */
function keyLike(value: string): string {
  if (/^boxe?_[A-Za-z0-9_-]{43}$/.test(value)) return value
  throw new AppError("unauthorized", sentence("http.key_invalid"))
}

/**
 * The value of a cookie; undefined when it wasn't sent. Two of them are never chosen among: another port of the
 * computer may have set one. Throws `unauthorized`.
 */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  const values = (request.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim().split("=", 2))
    .filter(([key]) => key?.trim() === name)
    .map(([, value = ""]) => value)
  if (values.length > 1) throw new AppError("unauthorized", sentence("http.second_cookie"))
  const [value] = values
  return value !== undefined && value.length <= longestCredential ? value : undefined
}
