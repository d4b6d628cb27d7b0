import type { IncomingMessage } from "node:http"
import { arrivalHeader, boxIdHeader, forwardedHeader } from "../http/box-token.ts"

/**
 * Headers that apply to a single connection or are exchanged between servers. They aren't forwarded, so a client can neither set nor
 * receive them.
 */
const hopByHopHeaders = new RegExp(
  `^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|http2-settings|${arrivalHeader}|${boxIdHeader})$`,
  "i",
)

const loopback = String.raw`(?:http://)?(?:127\.0\.0\.1|localhost|\[::1\])`
const loopbackName = new RegExp(`^(${loopback}):(\\d+)$`, "i")

/**
 * Rewrites what names this server in a request to the active server, and in its answer. The active server checks the client's host name,
 * but doesn't know this server's local name; and its own local name belongs to another program on this computer. The two local ports are
 * therefore swapped.
 */
export class ForwardedNames {
  readonly #ownPort: string
  readonly #ownName: RegExp
  readonly #ownAddress: RegExp
  readonly #token: string

  constructor(ownPort: number, token: string) {
    this.#ownPort = String(ownPort)
    this.#ownName = new RegExp(`^${loopback}:${ownPort}$`, "i")
    this.#ownAddress = new RegExp(`^(${loopback}):${ownPort}(/|$)`, "i")
    this.#token = token
  }

  /** Returns alternating names and values. */
  getRequestHeaders(request: IncomingMessage, activePort: string): string[] {
    const headers = removeHopHeaders(request.rawHeaders).map((value, at, all) => {
      const name = at % 2 === 1 ? all[at - 1]?.toLowerCase() : undefined
      return name === "host" || name === "origin" ? this.#swapPort(value, activePort) : value
    })
    headers.push(arrivalHeader, request.socket.localAddress ?? "")
    // An HTTP/1.0 request may have no host; the active server refuses it.
    if (request.headers.host === undefined) headers.push("host", "")
    const isChunked = request.headers["transfer-encoding"] !== undefined
    return [...headers, ...(isChunked ? ["transfer-encoding", "chunked"] : []), forwardedHeader, this.#token]
  }

  getRequestUrl(request: IncomingMessage, activePort: string): string | undefined {
    return request.url?.replace(this.#ownAddress, `$1:${activePort}$2`)
  }

  /** Returns alternating names and values. */
  getAnswerHeaders(answered: IncomingMessage, request: IncomingMessage, activePort: string): string[] {
    const here = request.headers.host ?? ""
    return removeHopHeaders(answered.rawHeaders).map((value, at, all) =>
      all[at - 1]?.toLowerCase() === "location" && this.#ownName.test(here)
        ? value.replace(`http://127.0.0.1:${activePort}/`, `http://127.0.0.1:${this.#ownPort}/`)
        : value,
    )
  }

  #swapPort(name: string, activePort: string): string {
    return name.replace(loopbackName, (all, host: string, port: string) =>
      port === this.#ownPort
        ? `${host}:${activePort}`
        : port === activePort
          ? `${host}:${this.#ownPort}`
          : all,
    )
  }
}

function removeHopHeaders(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]]
    if (!hopByHopHeaders.test(name)) kept.push(name, value)
  }
  return kept
}
