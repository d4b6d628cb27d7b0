import { createReadStream } from "node:fs"
import { Readable } from "node:stream"
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import type { Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Outbound } from "../outbound/outbound.ts"
import { eitherSignal } from "../waiting/abort-and-timeout.ts"
import {
  ObjectStoreUnavailable,
  ObjectStoreRefused,
  type ObjectStore,
  type ListedObject,
} from "./object-store.ts"
import type { S3Address } from "./s3-address.ts"

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
function createOutboundHandler({ fetch }: Pick<Outbound, "fetch">) {
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

/** Files above this size are sent in parts, two at a time, each with its own checksum. */
const partBytes = 8 * 2 ** 20
/** With increasing pauses; the last error of a request is reported. */
const attempts = 3
const refusals = new Set([301, 400, 401, 403])

/** Settings that the client would otherwise look up in the environment, in the user's home directory, or at the cloud's metadata server. */
const explicitSettings = {
  authSchemePreference: [],
  defaultsMode: "standard",
  disableS3ExpressSessionAuth: true,
  ignoreConfiguredEndpointUrls: true,
  requestChecksumCalculation: "WHEN_SUPPORTED",
  responseChecksumValidation: "WHEN_SUPPORTED",
  retryMode: "standard",
  sigv4aSigningRegionSet: [],
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "casella",
} satisfies S3ClientConfig & { ignoreConfiguredEndpointUrls: boolean }
/** Maximum size of a text, which other programs may overwrite, and the timeout for reading it. */
const maxTextBytes = 2 ** 16
const textMs = 10_000

/** Opens a location on a store; sends no request yet. */
export const openS3 = (location: S3Address, outbound: Pick<Outbound, "fetch">): ObjectStore =>
  new S3Store(location, outbound)

class S3Store implements ObjectStore {
  readonly address: string
  readonly #place: S3Address
  readonly #handler: ReturnType<typeof createOutboundHandler>
  readonly #client: S3Client

  constructor(location: S3Address, outbound: Pick<Outbound, "fetch">) {
    this.address = location.address
    this.#place = location
    this.#handler = createOutboundHandler(outbound)
    this.#client = new S3Client({
      region: location.region,
      credentials: location.credentials,
      ...(location.endpoint !== null && { endpoint: location.endpoint, forcePathStyle: true }), // other stores don't support bucket names as host names
      requestHandler: this.#handler,
      maxAttempts: attempts,
      ...explicitSettings,
      expectContinueHeader: false,
    })
  }

  async put(key: string, path: string, signal?: AbortSignal): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#object(key), Body: createReadStream(path), ChecksumAlgorithm: "CRC32" },
      partSize: partBytes,
      queueSize: 2,
    })
    const stop = () => void upload.abort()
    signal?.addEventListener("abort", stop)
    try {
      signal?.throwIfAborted()
      await upload.done().catch((error) => this.#throwStoreError(error))
    } finally {
      signal?.removeEventListener("abort", stop)
    }
  }

  #object(key: string) {
    return { Bucket: this.#place.bucket, Key: this.#keyAt(key) }
  }

  #keyAt(key: string) {
    return this.#place.prefix === "" ? key : `${this.#place.prefix}/${key}`
  }

  #throwStoreError(error: unknown): never {
    throw this.#toStoreError(error)
  }

  #toStoreError(error: unknown): unknown {
    if (error instanceof AppError || (error as Error).name === "AbortError") return error
    const { httpStatusCode = 0 } = error instanceof S3ServiceException ? error.$metadata : {}
    const isRefused = refusals.has(httpStatusCode) || (error as Error).name === "NoSuchBucket"
    return isRefused
      ? new ObjectStoreRefused(this.#place.address, error)
      : new ObjectStoreUnavailable(this.#place.address, error)
  }

  async get(key: string, signal?: AbortSignal): Promise<Readable | null> {
    return (await this.#get(key, signal)) as Readable | null
  }

  async #get(key: string, signal?: AbortSignal) {
    const found = await this.#client
      .send(new GetObjectCommand(this.#object(key)), { ...(signal && { abortSignal: signal }) })
      .catch((error: unknown) =>
        (error as Error).name === "NoSuchKey" ? null : this.#throwStoreError(error),
      )
    return found?.Body ?? null
  }

  async text(key: string): Promise<string | null> {
    const body = (await this.#get(key, AbortSignal.timeout(textMs))) as Readable | null
    return body === null ? null : shortText(body).catch((error) => this.#throwStoreError(error))
  }

  async has(key: string): Promise<boolean> {
    try {
      await this.#client.send(new HeadObjectCommand(this.#object(key)))
      return true
    } catch (error) {
      if ((error as Error).name === "NotFound") return false
      throw this.#toStoreError(error)
    }
  }

  async *list(begin: string): AsyncIterable<ListedObject[]> {
    let next: string | undefined
    do {
      const found = await this.#client
        .send(
          new ListObjectsV2Command({
            Bucket: this.#place.bucket,
            Prefix: this.#keyAt(begin),
            ...(next !== undefined && { ContinuationToken: next }),
          }),
        )
        .catch((error) => this.#throwStoreError(error))
      yield (found.Contents ?? []).flatMap(({ Key, Size = 0 }) =>
        Key === undefined ? [] : { key: Key.slice(this.#keyAt("").length), size: Size },
      )
      next = found.NextContinuationToken
    } while (next !== undefined)
  }

  async remove(key: string): Promise<void> {
    await this.#client
      .send(new DeleteObjectCommand(this.#object(key)))
      .catch((error) => this.#throwStoreError(error))
  }

  async write(key: string, text: string): Promise<void> {
    await this.#client
      .send(new PutObjectCommand({ ...this.#object(key), Body: text, ChecksumAlgorithm: "CRC32" }))
      .catch((error) => this.#throwStoreError(error))
  }

  async create(key: string, text: string): Promise<"created" | "exists" | "unsupported"> {
    try {
      await this.#client.send(
        new PutObjectCommand({
          ...this.#object(key),
          Body: text,
          IfNoneMatch: "*",
          ChecksumAlgorithm: "CRC32",
        }),
      )
      return "created"
    } catch (error) {
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
      if (status === 412 || status === 409) return "exists"
      if (status === 501) return "unsupported"
      throw this.#toStoreError(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy()
  }
}

async function shortText(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes > maxTextBytes) throw new Error("The object is too large for a note.")
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
