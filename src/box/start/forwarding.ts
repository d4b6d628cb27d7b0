import { once } from "node:events"
import type { IncomingMessage, RequestOptions, Server, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { abortAfter, waitAtMost, withTimeout } from "../core/waiting/abort-and-timeout.ts"
import { boxIdHeader, forwardedHeader, ownBoxId } from "../http/box-token.ts"
import { createHttpServer, maxUnaccepted } from "../http/http-server.ts"
import { ForwardedNames } from "./forwarded-names.ts"

const http = process.getBuiltinModule("node:http")
const net = process.getBuiltinModule("node:net")

/** How long a request waits for an active server during a failover. */
const waitTimeoutMs = 10_000
const healthPath = "/api/health"
const healthTimeoutMs = 1_000
const connectTimeoutMs = 2_000
const retryDelayMs = 100
/** How long a known address is reused. A frozen server accepts connections but answers none while another takes over. */
const knownForMs = 1_000
/** How long to wait for a fresh address before the previous one is used. */
const checkTimeoutMs = 500
/** Maximum time counted for one attempt to connect. A longer one includes a pause of this process, for example because the computer slept. */
const maxAttemptMs = checkTimeoutMs + connectTimeoutMs + retryDelayMs
/** How often a server with open requests is probed. */
const probeMs = 500
const probeTimeoutMs = 2_000
/** A server that hasn't answered for `suspectMs` gets no new requests; after `silentMs` its open requests are ended. */
const suspectMs = 2_500
const silentMs = 10_000
export interface ForwardingDeps {
  host: string
  /** 0 picks a free port. */
  port: number
  /** Reads the active server's current address. Returns null if none has been published yet. */
  running(): Promise<string | null>
  version: string
  /** Whether this version is too old to become the active server. */
  isOutdated(): boolean
  /** Proves to the active server that this isn't a client. */
  token: string
}

/** Answers for a standby server by forwarding everything to the active server. */
export interface Forwarding extends AsyncDisposable {
  port: number
  /**
   * Stops accepting connections, so that the box itself can listen on the port. Requests in progress continue with whichever server is
   * active.
   */
  close(): void
}

/** @throws the system's error when the port is taken */
export async function startForwarding(deps: ForwardingDeps): Promise<Forwarding> {
  const server = createHttpServer((request, response) => forwarder.forward(request, response))
  server.on("upgrade", (request, client, head) => forwarder.upgrade(request, client, head))
  server.listen({ host: deps.host, port: deps.port, backlog: maxUnaccepted })
  await once(server, "listening")
  const forwarder = new Forwarder(server, deps)
  return forwarder
}

class Forwarder implements Forwarding {
  readonly port: number
  readonly #server: Server
  readonly #deps: ForwardingDeps
  readonly #names: ForwardedNames
  readonly #getRunningAddress: (maxAgeMs: number) => Promise<string | null>
  readonly #liveness: ReturnType<typeof createLiveness>
  readonly #stopping = new AbortController()
  #isClosing = false

  constructor(server: Server, deps: ForwardingDeps) {
    this.port = (server.address() as AddressInfo).port
    this.#server = server
    this.#deps = deps
    this.#names = new ForwardedNames(this.port, deps.token)
    this.#getRunningAddress = createRunningAddress(() => deps.running())
    this.#liveness = createLiveness(this.#getRunningAddress, deps.token)
  }

  forward(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) response.setHeader("connection", "close")
    if (request.headers[forwardedHeader] !== undefined)
      return answer(response, 503, toErrorBody(new AppError("unavailable", sentence("http.box_waits"))))
    this.#pass(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else if (isHealth(request)) answer(response, 200, { status: "ok", version: this.#deps.version }) // this server is alive
      else {
        // The rest of the request body is no longer read.
        if (!request.complete) response.setHeader("connection", "close")
        answer(response, 503, toErrorBody(error))
      }
    })
  }

  upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on("error", () => client.destroy())
    ;(client as Socket).setTimeout(0)
    if (request.headers[forwardedHeader] !== undefined) return refuse(client)
    this.#connect(client, waitTimeoutMs)
      .then(({ socket, address }) => {
        socket.write(this.#toUpgradeRequest(request, getPort(address)), "latin1")
        socket.write(head)
        socket.on("error", () => undefined) // a close event follows
        const release = this.#liveness.watch(address, () => socket.destroy())
        socket.once("close", () => {
          release()
          if (socket.bytesRead === 0) refuse(client)
          else client.destroy()
        })
        client.once("close", () => socket.destroy())
        client.pipe(socket).pipe(client, { end: false })
      })
      .catch(() => refuse(client))
  }

  close(): void {
    this.#isClosing = true
    this.#server.close()
    this.#server.closeIdleConnections()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    this.#liveness[Symbol.dispose]()
    this.#server.close()
    this.#server.closeAllConnections()
    await Promise.resolve()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { answered, activePort } = await this.#ask(request, response).catch((error: unknown) => {
      if (error instanceof AppError || response.destroyed) throw error
      if (isHealth(request)) throw error
      // The server stopped or froze. Only a read is safe to repeat: any other request may already have taken effect.
      if (request.method === "GET" && !hasBody(request)) return this.#ask(request, response)
      throw new AppError("unavailable", sentence("http.box_ended"), { cause: error })
    })
    answered.on("error", () => response.destroy())
    const headers = this.#names.getAnswerHeaders(answered, request, activePort)
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headers)
    response.flushHeaders()
    answered.pipe(response)
  }

  async #ask(request: IncomingMessage, response: ServerResponse) {
    const timeoutMs = isHealth(request) ? healthTimeoutMs : waitTimeoutMs
    const { socket, address } = await this.#connect(response, timeoutMs)
    const activePort = getPort(address)
    const options: RequestOptions = {
      method: request.method,
      path: this.#names.getRequestUrl(request, activePort),
      headers: this.#names.getRequestHeaders(request, activePort),
      setHost: false,
      createConnection: () => socket,
      ...(isHealth(request) && { signal: AbortSignal.timeout(healthTimeoutMs) }),
    }
    const passed = http.request(options).on("error", () => response.headersSent && response.destroy())
    const release = this.#liveness.watch(address, () =>
      passed.destroy(new Error("The server doesn't answer.")),
    )
    passed.once("close", release)
    response.once("close", () => passed.destroy())
    passed.flushHeaders() // a body may arrive late, and the request may be refused before that
    request.pipe(passed)
    request.once("error", () => passed.destroy())
    const [answered] = (await once(passed, "response")) as [IncomingMessage]
    return { answered, activePort }
  }

  /**
   * Connects to the active server for a client that is still connected. Nothing has been sent yet, so nothing can run twice. Throws
   * `unavailable`.
   */
  async #connect(
    client: { destroyed: boolean },
    timeoutMs: number,
  ): Promise<{ socket: Socket; address: string }> {
    let [waitedMs, since] = [0, performance.now()]
    const hasTime = () => {
      const now = performance.now()
      waitedMs += Math.min(now - since, maxAttemptMs)
      since = now
      return waitedMs < timeoutMs
    }
    let maxAgeMs = knownForMs
    while (hasTime() && !this.#stopping.signal.aborted && !client.destroyed) {
      const address = await this.#getRunningAddress(maxAgeMs)
      const isUsable = address !== null && !this.#liveness.isSuspect(address)
      const socket = isUsable ? await connected(address).catch(() => null) : null
      if (socket === null || address === null) {
        maxAgeMs = retryDelayMs // the server stopped or is frozen, and another is taking over
        await wait(retryDelayMs)
        continue
      }
      if (!client.destroyed) return { socket, address }
      socket.destroy()
    }
    const isOutdated = this.#deps.isOutdated()
    throw new AppError("unavailable", sentence(isOutdated ? "http.newer_box_needed" : "http.no_box_runs"))
  }

  #toUpgradeRequest(request: IncomingMessage, activePort: string): string {
    const headers = [
      ...this.#names.getRequestHeaders(request, activePort),
      "connection",
      "Upgrade",
      "upgrade",
      "websocket",
    ]
    const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
    const url = this.#names.getRequestUrl(request, activePort)
    return `${request.method} ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`
  }
}

/** Returns the active server's address, at most `maxAgeMs` old. Concurrent callers share one lookup. */
function createRunningAddress(
  running: () => Promise<string | null>,
): (maxAgeMs: number) => Promise<string | null> {
  let known: string | null = null
  let checkedAt = -Infinity
  let lookup: Promise<void> | undefined

  async function check(): Promise<void> {
    // If the database is unavailable, keep the last known address; that server may still be running.
    known = await running().catch(() => known)
    checkedAt = performance.now()
    lookup = undefined
  }

  return async (maxAgeMs) => {
    if (performance.now() - checkedAt > maxAgeMs) await waitAtMost(checkTimeoutMs, (lookup ??= check()))
    return known
  }
}

interface WatchedBox {
  /** Each function ends one open request. */
  ends: Set<() => void>
  answeredAt: number
  timer: NodeJS.Timeout
}

/**
 * Ends open requests to a server when another takes over or the server hasn't answered for `silentMs`, because a frozen server keeps its
 * connections open. Servers are probed only while they have open requests.
 */
function createLiveness(getRunningAddress: (maxAgeMs: number) => Promise<string | null>, token: string) {
  const boxes = new Map<string, WatchedBox>()

  function start(address: string): WatchedBox {
    let isChecking = false
    const box: WatchedBox = {
      ends: new Set(),
      answeredAt: performance.now(),
      timer: setInterval(() => {
        if (isChecking) return
        isChecking = true
        void check(address, box).finally(() => (isChecking = false))
      }, probeMs).unref(),
    }
    boxes.set(address, box)
    return box
  }

  async function check(address: string, box: WatchedBox): Promise<void> {
    const current = await getRunningAddress(knownForMs)
    if (current === address && (await askHealth(address, token)) !== null) box.answeredAt = performance.now()
    if (current !== address || performance.now() - box.answeredAt > silentMs)
      for (const end of box.ends) end()
  }

  return {
    /** Calls `end` at most once. Call the returned function when the request is over. */
    watch(address: string, end: () => void): () => void {
      const box = boxes.get(address) ?? start(address)
      box.ends.add(end)
      return () => {
        box.ends.delete(end)
        if (box.ends.size > 0) return
        clearInterval(box.timer)
        if (boxes.get(address) === box) boxes.delete(address)
      }
    },
    isSuspect(address: string): boolean {
      const box = boxes.get(address)
      return box !== undefined && performance.now() - box.answeredAt > suspectMs
    },
    [Symbol.dispose]() {
      for (const { timer } of boxes.values()) clearInterval(timer)
    },
  }
}

/**
 * Returns the first of these addresses at which another active server runs. An active server returns its ID only to servers with its token,
 * so standby servers and servers with another key are skipped. An address may also be this server's own, because every computer has a
 * 127.0.0.1.
 */
export async function findOtherRunningBox(
  addresses: readonly string[],
  { token, publicUrl }: { token: string; publicUrl: string | null },
): Promise<string | null> {
  const host = publicUrl === null ? undefined : new URL(publicUrl).host
  const answers = await Promise.all(addresses.map((address) => askHealth(address, token, host)))
  return (
    addresses.find((_, at) => {
      // A server that refuses the host name is still running.
      const id = answers[at]?.headers[boxIdHeader]
      return id !== undefined && id !== ownBoxId
    }) ?? null
  )
}

/** Returns the response of a server's health endpoint, or null if it doesn't answer in time. */
async function askHealth(
  address: string,
  token: string,
  host = new URL(address).host,
): Promise<IncomingMessage | null> {
  const request = http.get(new URL(healthPath, address), {
    agent: false,
    headers: { host, [forwardedHeader]: token },
    signal: abortAfter(probeTimeoutMs),
  })
  try {
    const [answered] = (await once(request, "response")) as [IncomingMessage]
    return answered
  } catch {
    return null
  } finally {
    request.on("error", () => undefined).destroy()
  }
}

const isHealth = ({ url }: IncomingMessage): boolean => url?.split("?")[0] === healthPath
const getPort = (address: string): string => new URL(address).port || "80"

async function connected(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, "")
  const socket = net.connect({ host, port: Number(port || 80), noDelay: true })
  try {
    await withTimeout(connectTimeoutMs, once(socket, "connect"), () => new Error("It accepts no connection."))
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

function toErrorBody(error: unknown): object {
  const appError =
    error instanceof AppError ? error : new AppError("unavailable", sentence("http.no_box_runs"))
  return { error: appError.message, code: appError.code, ...appError.sentence.field }
}

function refuse(client: Duplex): void {
  client.once("finish", () => client.destroy()) // the client might never close its side
  client.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\r\n")
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "retry-after": "1" })
  response.end(JSON.stringify(body))
}
