import { Readable } from "node:stream"
import type { Response } from "undici"
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
const uploadMs = 60_000
/** The same for a request without a body. */
const answerMs = 20_000
/** Of all but an object's bytes: what is told of it, or why it can't be had. */
const mostToldBytes = 2 ** 20
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
                : Readable.from(await told(response)),
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

/** All of it, within the time of the answer: whoever asks waits for it and has it in memory. */
async function told({ body }: Response): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += (piece as Uint8Array).byteLength
    if (bytes > mostToldBytes) throw new Error("The object store's answer has no end.")
    pieces.push(Buffer.from(piece as Uint8Array))
  }
  return pieces
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
