import { once } from "node:events"
import type { IncomingMessage, RequestOptions, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { arrivalHeader, forwardedHeader } from "../http/forwarded.ts"
import { createHttpServer, mostUnaccepted } from "../http/http-server.ts"

const http = process.getBuiltinModule("node:http")
const net = process.getBuiltinModule("node:net")

/** How long a request waits for a box that runs, while one takes the place of another. */
const longestWaitMs = 10_000
const healthPath = "/api/health"
const longestHealthMs = 1_000
const connectTimeoutMs = 2_000
const againMs = 100
/** A box that sleeps takes connections and answers none, while another has its place. */
const knownForMs = 1_000
/** Headers of one connection, which aren't passed on. A client can't say itself where it connected. */
const ofConnection = new RegExp(
  `^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|http2-settings|${arrivalHeader})$`,
  "i",
)

export interface ForwardingDeps {
  host: string
  /** 0 picks a free one. */
  port: number
  /** Address of the box that runs, read anew; null where none has said it yet. */
  running(): Promise<string | null>
  version: string
  /** Whether a newer version than this one is needed to run. */
  isOutdated(): boolean
  /** Proves to the other box that this isn't a client. */
  token: string
}

const loopback = String.raw`(?:http://)?(?:127\.0\.0\.1|localhost|\[::1\])`
const loopbackName = new RegExp(`^(${loopback}):(\\d+)$`, "i")

/** Answers for a box that waits: everything is passed on to the one that runs. */
export interface Forwarding extends AsyncDisposable {
  port: number
  /** Accepts nothing more, so that the box itself can listen there. What is under way goes on, to whichever box runs. */
  close(): void
}

/** @throws the system's error when the port is taken */
export async function startForwarding({
  host,
  port,
  version,
  isOutdated,
  running,
  token,
}: ForwardingDeps): Promise<Forwarding> {
  const stopping = new AbortController()
  const server = createHttpServer(forward)
  server.on("upgrade", upgrade)
  server.listen({ host, port, backlog: mostUnaccepted })
  await once(server, "listening")
  const own = (server.address() as AddressInfo).port
  const whereItRuns = createRunningAddress(running)
  let isClosing = false

  /**
   * Connects to the box that runs, for a client that is still there: nothing was sent before, so nothing is done twice.
   * Throws `unavailable`.
   */
  async function connect(
    client: { destroyed: boolean },
    longestMs = longestWaitMs,
  ): Promise<{ socket: Socket; port: string }> {
    const until = performance.now() + longestMs
    let maxAgeMs = knownForMs
    while (performance.now() < until && !stopping.signal.aborted && !client.destroyed) {
      const address = await whereItRuns(maxAgeMs)
      const socket = address === null ? null : await connected(address).catch(() => null)
      if (socket === null || address === null) {
        maxAgeMs = againMs // it ended, and another takes its place
        await wait(againMs)
        continue
      }
      if (!client.destroyed) return { socket, port: new URL(address).port || "80" }
      socket.destroy()
    }
    throw new AppError("unavailable", sentence(isOutdated() ? "http.newer_box_needed" : "http.no_box_runs"))
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    if (isClosing) response.setHeader("connection", "close")
    if (request.headers[forwardedHeader] !== undefined)
      return answer(response, 503, bodyOf(new AppError("unavailable", sentence("http.box_waits"))))
    const isHealth = request.url?.split("?")[0] === healthPath
    pass(request, response, isHealth ? longestHealthMs : longestWaitMs).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else if (isHealth) answer(response, 200, { status: "ok", version }) // this one is alive
      else {
        // What is still to come of a body nobody waits for.
        if (!request.complete) response.setHeader("connection", "close")
        answer(response, 503, bodyOf(error))
      }
    })
  }

  async function pass(request: IncomingMessage, response: ServerResponse, longestMs: number): Promise<void> {
    const asked = await ask(request, response, longestMs).catch((error: unknown) => {
      if (error instanceof AppError || response.destroyed) throw error
      // It ended meanwhile. Whoever only reads may ask the next one; of all else nobody knows whether it was done.
      if (request.method === "GET" && !hasBody(request)) return ask(request, response, longestMs)
      throw new AppError("unavailable", sentence("http.box_ended"), { cause: error })
    })
    const { answered, port: theirs } = asked
    answered.on("error", () => response.destroy())
    const here = request.headers.host ?? ""
    const headers = withoutHops(answered.rawHeaders).map((value, at, all) =>
      all[at - 1]?.toLowerCase() === "location" && ownName.test(here)
        ? value.replace(`http://127.0.0.1:${theirs}/`, `http://127.0.0.1:${own}/`)
        : value,
    )
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headers)
    response.flushHeaders()
    answered.pipe(response)
  }

  async function ask(request: IncomingMessage, response: ServerResponse, longestMs: number) {
    const { socket, port: theirs } = await connect(response, longestMs)
    const options: RequestOptions = {
      method: request.method,
      path: addressFor(request, theirs),
      headers: headersFor(request, theirs),
      setHost: false,
      createConnection: () => socket,
    }
    const passed = http.request(options).on("error", () => response.headersSent && response.destroy())
    response.once("close", () => passed.destroy())
    passed.flushHeaders() // a body may come late, and be refused before
    request.pipe(passed)
    request.once("error", () => passed.destroy())
    const [answered] = (await once(passed, "response")) as [IncomingMessage]
    return { answered, port: theirs }
  }

  function upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on("error", () => client.destroy())
    ;(client as Socket).setTimeout(0)
    if (request.headers[forwardedHeader] !== undefined) return refuse(client)
    connect(client)
      .then(({ socket, port: theirs }) => {
        const headers = [...headersFor(request, theirs), "connection", "Upgrade", "upgrade", "websocket"]
        const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
        socket.write(
          `${request.method} ${addressFor(request, theirs)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`,
          "latin1",
        )
        socket.write(head)
        socket.on("error", () => client.destroy())
        socket.once("close", () => client.destroy())
        client.once("close", () => socket.destroy())
        client.pipe(socket).pipe(client)
      })
      .catch(() => refuse(client))
  }

  /**
   * Which name a client gave is checked by the box that runs. This one's own on this computer it doesn't know, and its own is another
   * program's here: the one becomes the other.
   */
  function headersFor(request: IncomingMessage, theirs: string): string[] {
    const named = (name: string) =>
      name.replace(loopbackName, (all, host: string, port: string) =>
        port === String(own) ? `${host}:${theirs}` : port === theirs ? `${host}:${own}` : all,
      )
    const headers = withoutHops(request.rawHeaders).map((value, at, all) => {
      const name = at % 2 === 1 ? all[at - 1]?.toLowerCase() : undefined
      return name === "host" || name === "origin" ? named(value) : value
    })
    headers.push(arrivalHeader, request.socket.localAddress ?? "")
    // HTTP/1.0 may have none, which is for the other to refuse.
    if (request.headers.host === undefined) headers.push("host", "")
    const isChunked = request.headers["transfer-encoding"] !== undefined
    return [...headers, ...(isChunked ? ["transfer-encoding", "chunked"] : []), forwardedHeader, token]
  }
  const addressFor = (request: IncomingMessage, theirs: string) =>
    request.url?.replace(ownAddress, `$1:${theirs}$2`)
  const ownName = new RegExp(`^${loopback}:${own}$`, "i")
  const ownAddress = new RegExp(`^(${loopback}):${own}(/|$)`, "i")

  return {
    port: own,
    close() {
      isClosing = true
      server.close()
      server.closeIdleConnections()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      server.close()
      server.closeAllConnections()
      await Promise.resolve()
    },
  }
}

/** Where the box runs, as it was at most so long ago; looked up once for all who ask meanwhile. */
function createRunningAddress(
  running: () => Promise<string | null>,
): (maxAgeMs: number) => Promise<string | null> {
  let known: string | null = null
  let lookedAt = -Infinity
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    // While the database is away the last one may still be there.
    known = await running().catch(() => known)
    lookedAt = performance.now()
    looking = undefined
  }

  return async (maxAgeMs) => {
    if (performance.now() - lookedAt > maxAgeMs) await (looking ??= look())
    return known
  }
}

async function connected(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, "")
  const socket = net.connect({ host, port: Number(port || 80), noDelay: true })
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectTimeoutMs) })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function withoutHops(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]]
    if (!ofConnection.test(name)) kept.push(name, value)
  }
  return kept
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

function bodyOf(error: unknown): object {
  const told = error instanceof AppError ? error : new AppError("unavailable", sentence("http.no_box_runs"))
  return { error: told.message, code: told.code, ...told.sentence.field }
}

function refuse(client: Duplex): void {
  client.once("finish", () => client.destroy()) // it might never close its side
  client.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\r\n")
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "retry-after": "1" })
  response.end(JSON.stringify(body))
}
