import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import { isLoopbackAddress } from "../core/outbound/loopback.ts"
import { arrivalAddress } from "./box-token.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** Host names and web origins that may access the box. Read again for each request. */
export interface GuardOptions {
  port: number
  /** Host names that the owner configured. */
  allowedHosts: () => readonly string[]
  /** Addresses with port to which other computers connect when network access is on. */
  openAddresses: () => readonly string[]
  allowedOrigins: () => readonly string[]
  /** Origin of the box's own page behind a proxy. */
  publicUrl?: string | null
  /** Proves that a standby server forwards a request; null: there is no standby. */
  forwardingToken?: string | null
}

export interface Guard {
  /**
   * Checks `Host` against an exact list, which prevents DNS rebinding, and `Origin`, which blocks other web pages. Throws `forbidden`.
   * Returns an allowed foreign origin, so that it gets CORS headers, and null otherwise.
   */
  check(request: IncomingMessage): string | null
  /** Whether the browser's headers show that one of the box's own pages sent this request. */
  isOwnPage(request: IncomingMessage): boolean
}

export function createGuard({
  port,
  allowedHosts,
  openAddresses,
  allowedOrigins,
  publicUrl = null,
  forwardingToken = null,
}: GuardOptions): Guard {
  const loopback = ["127.0.0.1", "localhost", "[::1]"]

  function isAllowedHost(request: IncomingMessage): boolean {
    const name = request.headers.host?.toLowerCase()
    if (name === undefined) return false
    const matchesWithPort = (entry: string) => name === `${entry}:${port}` || (port === 80 && name === entry)
    // An entry may also include its own port, or name a proxy that forwards without a port.
    const configured = allowedHosts().map((entry) => entry.toLowerCase())
    if (publicUrl !== null && name === new URL(publicUrl).host) return true
    if (configured.some((entry) => name === entry || matchesWithPort(entry))) return true
    const at = arrivalAddress(request, forwardingToken).replace(/^::ffff:/, "")
    const open = openAddresses()
    const arrivedAt = `${at}:${port}`
    if (open.includes(arrivedAt)) return name === arrivedAt || (port === 80 && name === at)
    // On another computer a loopback name means that computer, so it is valid only for a client on this one.
    return isLoopbackAddress(at) && (loopback.some(matchesWithPort) || open.includes(name))
  }

  const isOwnOrigin = (request: IncomingMessage, origin: string) =>
    origin === `http://${request.headers.host}` || origin === publicUrl

  return {
    check(request) {
      if (!isAllowedHost(request) || countHeader(request, "host") !== 1 || isForAnother(request)) {
        throw new AppError("forbidden", sentence("http.host_refused"))
      }
      const { origin } = request.headers
      if (origin === undefined || isOwnOrigin(request, origin)) return null
      if (allowedOrigins().includes(origin)) return origin
      throw new AppError("forbidden", sentence("http.origin_refused"))
    },
    isOwnPage(request) {
      const site = request.headers["sec-fetch-site"]
      const { origin } = request.headers
      if (origin !== undefined && !isOwnOrigin(request, origin)) return false
      if (site !== undefined) return site === "same-origin" || (site === "none" && isSafe(request.method))
      return origin !== undefined || isSafe(request.method)
    },
  }
}

/** Whether the request line names another host than `Host`. In HTTP the request line takes precedence. */
function isForAnother({ url = "/", headers }: IncomingMessage): boolean {
  if (url.startsWith("/") || url === "*") return false
  return URL.parse(url)?.host !== URL.parse(`http://${headers.host}`)?.host
}

const isSafe = (method: string | undefined) => method === "GET" || method === "HEAD"

/** Returns how often a header was sent. Node joins or drops repeated headers. */
export function countHeader(request: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) count++
  }
  return count
}
