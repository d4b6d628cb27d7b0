import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { crc32 } from "node:zlib"
import { keptAlive } from "./kept-alive.ts"

/** A fault with which the store answers a request. */
export interface ObjectFault {
  /** Answers with this status and an S3 error code. */
  status?: number
  code?: string
  /** Never answers. */
  hangs?: boolean
  /** Closes the connection after this many bytes of a response. */
  cutAfter?: number
  /** Sends this many bytes of a response and then stalls. */
  stallsAfter?: number
  /** Executes the request, then closes the connection instead of answering. */
  answerLost?: boolean
}

/** The store settings that `BoxConfig` accepts. */
export interface TestStoreSettings {
  address: string
  bucket: string
  prefix: string
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

/** A store on loopback that implements as much of the S3 protocol as the AWS client and LanceDB use. */
export interface TestObjectStore extends AsyncDisposable {
  endpoint: string
  at(prefix: string): TestStoreSettings
  /** Environment variables that make a box in a separate process store its files there. */
  variables(prefix: string): Record<string, string>
  /** `METHOD key` of all requests so far. */
  readonly requests: string[]
  /** Called for each request; the returned fault is applied to it. */
  fault: ((method: string, key: string) => ObjectFault | undefined) | null
  /** Whether it supports `If-None-Match`, as most stores do. */
  refusesOverwrites: boolean
  /** Delay before each response in ms, for measurements. */
  delayMs: number
  /** Closes the connections of requests that were never answered. */
  endHanging(): void
  /** The stored objects by key. */
  readonly objects: Map<string, Buffer>
}

const bucket = "casella-test"
const credentials = { accessKeyId: "casella", secretAccessKey: "secret" }
const maxListed = 1_000

/** The response to a request. */
interface Answer {
  status: number
  headers?: Record<string, string | number>
  body?: Buffer | string
}

export async function startTestObjectStore(): Promise<TestObjectStore> {
  const objects = new Map<string, Buffer>()
  /** Uploaded parts by upload id. */
  const uploads = new Map<string, Map<number, Buffer>>()
  const state = {
    requests: [] as string[],
    fault: null as TestObjectStore["fault"],
    refusesOverwrites: true,
    delayMs: 0,
    objects,
  }

  function answerTo(incoming: IncomingMessage, url: URL, key: string, body: Buffer): Answer {
    const { method, headers } = incoming
    const query = url.searchParams
    if (!headers.authorization?.includes(`Credential=${credentials.accessKeyId}/`))
      return refusal(403, "InvalidAccessKeyId")
    const checksum = headers["x-amz-checksum-crc32"]
    if (checksum !== undefined && checksum !== crc32Of(body)) return refusal(400, "BadDigest")
    if (key === "" && method === "GET") return list(objects, query)
    if (key === "" && method === "POST" && query.has("delete")) {
      const named = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each = ""]) => each)
      for (const each of named) objects.delete(unescaped(each))
      return xml(
        `<DeleteResult>${named.map((each) => `<Deleted><Key>${each}</Key></Deleted>`).join("")}</DeleteResult>`,
      )
    }
    if (method === "POST" && query.has("uploads")) {
      const id = randomUUID()
      uploads.set(id, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    const id = query.get("uploadId")
    const parts = id === null ? undefined : uploads.get(id)
    if (id !== null && !parts) return refusal(404, "NoSuchUpload")
    if (parts && method === "PUT") {
      parts.set(Number(query.get("partNumber")), body)
      return { status: 200, headers: { etag: getEtag(body) } }
    }
    const taken = state.refusesOverwrites && headers["if-none-match"] === "*" && objects.has(key)
    if (taken && (method === "PUT" || parts)) return refusal(412, "PreconditionFailed")
    if (parts && method === "POST") {
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
      const whole = Buffer.concat(numbers.map((number) => parts.get(number) ?? Buffer.alloc(0)))
      objects.set(key, whole)
      uploads.delete(id ?? "")
      return xml(
        `<CompleteMultipartUploadResult><ETag>${getEtag(whole)}</ETag></CompleteMultipartUploadResult>`,
      )
    }
    if (id !== null) {
      uploads.delete(id)
      return { status: 204 }
    }
    if (method === "PUT") {
      const source = headers["x-amz-copy-source"]
      const copied = typeof source === "string" ? objects.get(keyIn(decodeURIComponent(source))) : body
      if (!copied) return refusal(404, "NoSuchKey")
      objects.set(key, copied)
      return source === undefined
        ? { status: 200, headers: { etag: getEtag(copied) } }
        : xml(`<CopyObjectResult><ETag>${getEtag(copied)}</ETag></CopyObjectResult>`)
    }
    if (method === "DELETE") {
      objects.delete(key)
      return { status: 204 }
    }
    const found = objects.get(key)
    return found ? content(found, headers.range) : refusal(404, "NoSuchKey")
  }

  const hanging: ServerResponse[] = []
  const server = createServer(keptAlive, (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://store")
    const key = keyIn(decodeURIComponent(url.pathname))
    const method = incoming.method ?? "GET"
    state.requests.push(`${method} ${key}`)
    const fault = state.fault?.(method, key)
    if (fault?.hangs) return void hanging.push(outgoing)
    const pieces: Buffer[] = []
    incoming.on("data", (piece: Buffer) => pieces.push(piece))
    incoming.on("end", () => {
      const isRefused = fault?.status !== undefined
      const answer = isRefused
        ? refusal(fault.status ?? 500, fault.code ?? "InternalError")
        : answerTo(incoming, url, key, Buffer.concat(pieces))
      if (fault?.answerLost) outgoing.destroy()
      else if (state.delayMs === 0) send(outgoing, method, answer, fault)
      else setTimeout(send, state.delayMs, outgoing, method, answer, fault)
    })
  })

  server.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    endpoint,
    variables: (prefix: string) => ({
      CASELLA_FILES: `s3://${bucket}/${prefix}`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }),
    at: (prefix: string) => ({
      address: `s3://${bucket}/${prefix}`,
      bucket,
      prefix,
      endpoint,
      region: "us-east-1",
      credentials,
    }),
    endHanging() {
      for (const outgoing of hanging.splice(0)) outgoing.destroy()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function send(outgoing: ServerResponse, method: string, answer: Answer, fault: ObjectFault = {}): void {
  const { cutAfter, stallsAfter } = fault
  const body = Buffer.from(answer.body ?? "")
  outgoing.writeHead(answer.status, { "content-length": body.byteLength, ...answer.headers })
  if (method === "HEAD") outgoing.end()
  else if (stallsAfter !== undefined) outgoing.write(body.subarray(0, stallsAfter))
  else if (cutAfter === undefined || cutAfter >= body.byteLength) outgoing.end(body)
  else outgoing.write(body.subarray(0, cutAfter), () => outgoing.destroy())
}

function content(bytes: Buffer, range: string | undefined): Answer {
  const headers = { etag: getEtag(bytes), "last-modified": new Date(0).toUTCString() }
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? []
  if (first === "" && last === "") return { status: 200, headers, body: bytes }
  const from = first === "" ? Math.max(0, bytes.byteLength - Number(last)) : Number(first)
  const to = first === "" || last === "" ? bytes.byteLength - 1 : Math.min(Number(last), bytes.byteLength - 1)
  if (from > to) return refusal(416, "InvalidRange")
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${from}-${to}/${bytes.byteLength}` },
    body: bytes.subarray(from, to + 1),
  }
}

function list(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): Answer {
  const prefix = query.get("prefix") ?? ""
  const delimiter = query.get("delimiter") ?? ""
  const after = query.get("continuation-token") ?? query.get("start-after") ?? ""
  const max = Number(query.get("max-keys") ?? maxListed)
  const entries = new Map<string, string>()
  for (const key of [...objects.keys()].filter((each) => each.startsWith(prefix)).toSorted()) {
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length)
    const bytes = objects.get(key) ?? Buffer.alloc(0)
    entries.set(
      name,
      cut < 0
        ? `<Contents><Key>${escaped(key)}</Key><Size>${bytes.byteLength}</Size><ETag>${getEtag(bytes)}</ETag><LastModified>1970-01-01T00:00:00.000Z</LastModified></Contents>`
        : `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`,
    )
  }
  const left = [...entries].filter(([name]) => name > after)
  const some = left.slice(0, max)
  const next =
    left.length > max
      ? `<NextContinuationToken>${escaped(some.at(-1)?.[0] ?? "")}</NextContinuationToken>`
      : ""
  return xml(
    `<ListBucketResult><Name>${bucket}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${some.length}</KeyCount><MaxKeys>${max}</MaxKeys><IsTruncated>${left.length > max}</IsTruncated>${next}${some.map(([, entry]) => entry).join("")}</ListBucketResult>`,
  )
}

const keyIn = (path: string) => path.replace(new RegExp(`^/?${bucket}/?`), "")
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&")
const getEtag = (bytes: Buffer) => `"${createHash("md5").update(bytes).digest("hex")}"`
const xml = (body: string): Answer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
})
const refusal = (status: number, code: string): Answer => ({
  ...xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`),
  status,
})

function crc32Of(bytes: Buffer): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum.toString("base64")
}
