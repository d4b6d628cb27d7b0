import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import type { Caller } from "./caller.ts"
import { countHeader, type Guard } from "./guard.ts"

/** What checking a credential needs of the accounts. */
export interface CredentialStore {
  callerOfKey(key: string): Promise<Caller | null>
  callerOfSession(token: string): Promise<Caller | null>
}

export type Authenticate = (request: IncomingMessage) => Promise<Caller>

const longestCredential = 256

/** Cookies ignore ports, so the name carries it: two boxes on one computer don't end each other's session. */
export const sessionCookie = (port: number) => `casella_session_${port}`

/**
 * Finds who makes a request: exactly one `x-api-key`, on `/api/v1/*` also `Authorization: Bearer`, otherwise the
 * app's session cookie, which only counts for requests that the box's own page makes. Throws `unauthorized`.
 */
export function createAuthenticate(store: CredentialStore, guard: Guard, port: number): Authenticate {
  return async (request) => {
    const key = readKey(request)
    if (key !== undefined) {
      const caller = await store.callerOfKey(key)
      if (!caller)
        throw new AppError("unauthorized", "This API key isn't valid. Check it, or create a new one.")
      return caller
    }
    const token = readCookie(request, sessionCookie(port))
    if (token !== undefined && guard.isOwnPage(request)) {
      const caller = await store.callerOfSession(token)
      if (caller) return caller
    }
    throw new AppError("unauthorized", "Send an API key in the x-api-key header.")
  }
}

function readKey(request: IncomingMessage): string | undefined {
  if (countHeader(request, "x-api-key") > 0) {
    const value = request.headers["x-api-key"]
    if (countHeader(request, "x-api-key") === 1 && typeof value === "string" && isKeyLike(value)) return value
    throw new AppError("unauthorized", "Send exactly one API key in the x-api-key header.")
  }
  if (!/^\/api\/v1(\/|$)/.test(request.url ?? "") || countHeader(request, "authorization") === 0)
    return undefined
  const bearer = /^Bearer ([^\s,]+)$/i.exec(request.headers.authorization ?? "")?.[1]
  if (countHeader(request, "authorization") === 1 && bearer !== undefined && isKeyLike(bearer)) return bearer
  throw new AppError("unauthorized", "Send exactly one API key as Authorization: Bearer KEY.")
}

const isKeyLike = (value: string) =>
  value.length <= longestCredential && /^boxe?_[A-Za-z0-9_-]{43}$/.test(value)

/** The value of a cookie; undefined when it wasn't sent. */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [key, value] = pair.trim().split("=", 2)
    if (key === name && value !== undefined && value.length <= longestCredential) return value
  }
  return undefined
}
