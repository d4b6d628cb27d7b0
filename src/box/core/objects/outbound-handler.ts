import { Readable } from "node:stream"
import { eitherSignal } from "../waiting/abort.ts"
import type { Outbound } from "../outbound/outbound.ts"

/** As the AWS client writes it. */
interface SignedRequest {
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  method: string
  headers: Record<string, string>
  body?: unknown
}

/** Until an answer begins. A part of an upload goes out in this time, or is sent again. */
const answerMs = 60_000
/** Fetch writes these itself. */
const ownHeaders = new Set(["host", "content-length", "expect", "connection"])

/** Sends what the AWS client has to say the way that everything leaves the box. */
export function createOutboundHandler({ fetch }: Pick<Outbound, "fetch">) {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: SignedRequest, options: { abortSignal?: unknown } = {}) {
      const { protocol, hostname, port, path, query = {}, method, headers, body } = request
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`)
      url.search = queryOf(query)
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(new Error("The object store doesn't answer.")), answerMs)
      try {
        const response = await fetch(url, {
          purpose: "object-storage",
          method,
          headers: Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())),
          body: (body ?? null) as Uint8Array<ArrayBuffer> | string | null,
          signal: eitherSignal(options.abortSignal as AbortSignal | undefined, limit.signal),
        })
        return {
          response: {
            statusCode: response.status,
            headers: Object.fromEntries(response.headers),
            body: response.body ? Readable.fromWeb(response.body) : Readable.from([]),
          },
        }
      } finally {
        clearTimeout(timer)
      }
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  }
}

/** Encoded as it was signed. */
function queryOf(query: Record<string, string | string[] | null>): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      [value].flat().map((each) => `${encoded(name)}=${each === null ? "" : encoded(each)}`),
    )
    .join("&")
}

const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
