import { Readable } from "node:stream"
import type { Response } from "undici"
import { eitherSignal } from "../waiting/abort.ts"
import type { Outbound } from "../outbound/outbound.ts"

/** A request as the AWS client creates it. */
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

/** Timeout until a response starts. A part of an upload must be sent in this time, or it is sent again. */
const uploadMs = 60_000
/** The same for a request without a body. */
const answerMs = 20_000
/** Maximum size of a response other than an object's bytes, such as metadata or an error. */
const maxReportedBytes = 2 ** 20
/** Headers that fetch sets itself. */
const ownHeaders = new Set(["host", "content-length", "expect", "connection"])

/** Sends the AWS client's requests through `Outbound`, like all traffic of the box. */
export function createOutboundHandler({ fetch }: Pick<Outbound, "fetch">) {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: SignedRequest, options: { abortSignal?: unknown } = {}) {
      const { protocol, hostname, port, path, query = {}, method, headers, body } = request
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`)
      url.search = encodeQuery(query)
      const limit = new AbortController()
      const late = () => limit.abort(new Error("The object store doesn't answer."))
      const timer = setTimeout(late, body === undefined || body === null ? answerMs : uploadMs)
      try {
        const response = await fetch(url, {
          purpose: "object-storage",
          method,
          headers: Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())),
          body: (body ?? null) as Uint8Array<ArrayBuffer> | string | null,
          signal: eitherSignal(options.abortSignal as AbortSignal | undefined, limit.signal),
        })
        const isContent = method === "GET" && response.ok
        return {
          response: {
            statusCode: response.status,
            headers: Object.fromEntries(response.headers),
            body:
              isContent && response.body
                ? Readable.fromWeb(response.body)
                : Readable.from(await readPieces(response)),
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

/** Reads the whole response within its timeout, because the caller waits for it and keeps it in memory. */
async function readPieces({ body }: Response): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += (piece as Uint8Array).byteLength
    if (bytes > maxReportedBytes) throw new Error("The object store's answer has no end.")
    pieces.push(Buffer.from(piece as Uint8Array))
  }
  return pieces
}

/** Encodes the query as it was signed. */
function encodeQuery(query: Record<string, string | string[] | null>): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      [value].flat().map((each) => `${encode(name)}=${each === null ? "" : encode(each)}`),
    )
    .join("&")
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
