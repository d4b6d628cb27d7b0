import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { createServer, get, request as begin, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { connect, type Socket } from "node:net"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { arrivalHeader, boxIdHeader, ownBoxId } from "../http/box-token.ts"
import { findOtherRunningBox, startForwarding, type Forwarding } from "./forwarding.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

let running: Server
let heard: string[]
let address: string | null
let checkCount: number
let forwarding: Forwarding
beforeEach(async () => {
  heard = []
  checkCount = 0
  running = createServer((request, response) => {
    if (!isProbe(request)) heard.push(`${request.method} ${request.url}`)
    response.end("from the one that runs")
  })
  address = await listening(running)
  forwarding = await startForwarding({
    host: "127.0.0.1",
    port: 0,
    version: "1.2.3",
    token: "token",
    isOutdated: () => false,
    async running() {
      checkCount++
      await new Promise((resolve) => setTimeout(resolve, 20)) // simulates a database query
      return address
    },
  })
})
afterEach(async () => {
  await forwarding[Symbol.asyncDispose]()
  running.closeAllConnections()
  running.close()
})

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** Whether the forwarding server only checks that the active server answers, which it does twice a second during a request. */
const isProbe = ({ url }: IncomingMessage) => url === "/api/health"
const getConnections = (server: Server) =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
/** Resolves to the forwarding server's socket of the next connection that requests `path`. */
function nextConnection(path: string): Promise<Socket> {
  const channel = "http.server.request.start"
  return new Promise((resolve) => {
    subscribe(channel, function started(message) {
      const { request, socket } = message as { request: { url: string }; socket: Socket }
      if (request.url !== path) return
      unsubscribe(channel, started)
      resolve(socket)
    })
  })
}
const at = (path: string) => `http://127.0.0.1:${forwarding.port}${path}`
const ask = async (path: string) => (await fetch(at(path))).text()

// Catches a thousand waiting requests that each query the database ten times a second and use up the connections the starting server needs.
test("looks up the active server only a few times, however many requests wait", async () => {
  const originalAddress = address
  address = null
  const asked = Promise.all(Array.from({ length: 300 }, (_, index) => ask(`/${index}`)))
  await waitFor(() => expect(checkCount).toBeGreaterThan(2))
  address = originalAddress
  const answers = await asked
  expect(new Set(answers)).toEqual(new Set(["from the one that runs"]))
  expect(checkCount).toBeLessThan(300)
})

/** Makes the clock adjustable. */
function moveClock(): { aheadMs: number } {
  const clock = { aheadMs: 0 }
  const now = performance.now.bind(performance)
  vi.spyOn(performance, "now").mockImplementation(() => now() + clock.aheadMs)
  return clock
}

/** Starts a server that accepts connections but answers nothing, like a frozen process. */
async function startFrozen() {
  const seen: string[] = []
  const see = ({ url = "" }: IncomingMessage) => void seen.push(url)
  const server = createServer(see).on("upgrade", see)
  const originalAddress = address
  address = await listening(server)
  return {
    originalAddress,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
    asked: (path: string) => waitFor(() => expect(seen).toContain(path)),
  }
}

// Catches requests that wait for a frozen server forever after another one takes over.
test("ends requests to a frozen server after another one takes over", async () => {
  await using frozen = await startFrozen()
  const unanswered = ask("/first")
  await frozen.asked("/first")
  const written = fetch(at("/write"), { method: "POST", body: "x" })
  await frozen.asked("/write")
  const socket = connect(forwarding.port, "127.0.0.1")
  socket.write("GET /api/ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
  let upgraded = ""
  socket.setEncoding("utf8").on("data", (text: string) => (upgraded += text))
  const closed = once(socket, "close")
  await frozen.asked("/api/ws")
  address = frozen.originalAddress
  // A read can be repeated, so the new active server answers it.
  expect(await Promise.all([unanswered, ask("/second")])).toEqual([
    "from the one that runs",
    "from the one that runs",
  ])
  expect(await (await written).text()).toContain("box_ended")
  await closed
  expect(upgraded).toContain("503 Service Unavailable")
})

// Catches a health check that reports a standby server as dead because the active one is, and requests that never end when no server can
// take over.
test("limits the wait for a frozen server without a replacement", async () => {
  await using frozen = await startFrozen()
  expect(await (await fetch(at("/api/health"))).json()).toEqual({ status: "ok", version: "1.2.3" })
  const written = fetch(at("/write"), { method: "POST", body: "x" })
  await frozen.asked("/write")
  const clock = moveClock()
  try {
    clock.aheadMs += 3_000
    const arrived = nextConnection("/held")
    let held = ""
    void ask("/held").then((text) => (held = text))
    await arrived
    for (let passedMs = 0; passedMs < 9_000; passedMs += 1_000) {
      clock.aheadMs += 1_000
      await new Promise((resolve) => setTimeout(resolve, 60)) // otherwise it would be a pause of the process
    }
    const answer = await written
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("box_ended")])
    const until = clock.aheadMs + 30_000
    await waitFor(() => {
      if (clock.aheadMs < until) clock.aheadMs += 1_000
      expect(held).toContain("no_box_runs")
    })
  } finally {
    vi.restoreAllMocks()
  }
})

// Catches requests that fail during a takeover because the computer slept or was busy for some seconds.
test("a pause of the process isn't time that a request has waited", async () => {
  const originalAddress = address
  address = null
  const waiting = ask("/held")
  await waitFor(() => expect(checkCount).toBeGreaterThan(1))
  const clock = moveClock()
  try {
    clock.aheadMs += 60_000
    const checksBefore = checkCount
    await waitFor(() => expect(checkCount).toBeGreaterThan(checksBefore + 1))
    address = originalAddress
    expect(await waiting).toBe("from the one that runs")
  } finally {
    vi.restoreAllMocks()
  }
})

// Catches a slow response that is mistaken for a frozen server.
test("waits for a server that is only slow to answer", async () => {
  running.removeAllListeners("request")
  const answering = Promise.withResolvers<void>()
  running.on("request", (request, response) => {
    if (isProbe(request)) response.end()
    else void answering.promise.then(() => response.end("at last"))
  })
  const slow = ask("/slow")
  const [probe] = (await once(running, "request")) as [{ url: string }]
  expect(probe.url).toBe("/slow")
  const clock = moveClock()
  try {
    while (clock.aheadMs < 30_000) {
      clock.aheadMs += 2_000
      await once(running, "request")
    }
  } finally {
    vi.restoreAllMocks()
  }
  answering.resolve()
  expect(await slow).toBe("at last")
})

// Catches requests forwarded for clients that have disconnected, and connections kept open for them.
test("doesn't forward a request whose client disconnected while no server was active", async () => {
  const originalAddress = address
  address = null
  const connection = nextConnection("/gone")
  const gone = begin(at("/gone"), { method: "POST" }).on("error", () => undefined)
  gone.write("part of a body")
  await waitFor(() => expect(checkCount).toBeGreaterThan(1))
  const socket = await connection
  gone.destroy()
  await waitFor(() => expect(socket.closed).toBe(true))
  address = originalAddress
  expect(await ask("/there")).toBe("from the one that runs")
  expect(heard).toEqual(["GET /there"])
  await waitFor(async () => expect(await getConnections(running)).toBe(0))
})

// Catches a request that runs twice. Only reads are repeated if a server stops before it answers.
test("reports an unknown outcome if the server stops before it answers a write", async () => {
  running.removeAllListeners("request")
  running.on("request", (request, response) => {
    if (isProbe(request)) return response.end()
    heard.push(`${request.method} ${request.url}`)
    if (heard.length === 1) request.socket.destroy()
    else response.end("from the one that runs")
  })
  const written = await fetch(at("/write"), { method: "POST", body: "x" })
  expect([written.status, await written.text()]).toEqual([503, expect.stringContaining("box_ended")])
  expect(heard).toEqual(["POST /write"])
  heard = []
  expect(await ask("/read")).toBe("from the one that runs")
  expect(heard).toEqual(["GET /read", "GET /read"])
})

// Catches a WebSocket client that gets no answer and no retry delay because the server stopped before it answered.
test("answers an upgrade with 503 if the server stops before it answers", async () => {
  running.on("upgrade", (_request, socket) => socket.destroy())
  const headers = { upgrade: "websocket", connection: "Upgrade" }
  const [answer] = (await once(get(at("/ws"), { headers }), "response")) as [IncomingMessage]
  expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "1"])
})

// Catches forwarding that reaches other computers, and a server that forwards a WebSocket to itself forever.
test("reaches nothing else and forwards nothing twice", async () => {
  const said = async (head: string) => {
    const socket = connect(forwarding.port, "127.0.0.1")
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    socket.write(`${head}\r\nHost: 127.0.0.1:${forwarding.port}\r\nConnection: close\r\n\r\n`)
    await once(socket, "close")
    return text
  }
  expect(await said("CONNECT example.com:443 HTTP/1.1")).toBe("")
  await said("GET http://example.com/ HTTP/1.1")
  await said("GET //example.com/ HTTP/1.1")
  expect(heard).toEqual(["GET http://example.com/", "GET //example.com/"]) // the active server refuses these
  const headers = { upgrade: "websocket", connection: "Upgrade", "x-casella-forwarded": "token" }
  const [answer] = (await once(get(at("/ws"), { headers }), "response")) as [{ statusCode: number }]
  expect(answer.statusCode).toBe(503)
  expect((await fetch(at("/"), { headers: { "x-casella-forwarded": "token" } })).status).toBe(503)
})

// Catches a request whose host or origin is judged differently on the standby server: its own name refused, or another program's name
// accepted because it would be valid on the active server's computer.
test("translates host and origin names so that both servers judge them the same way", async () => {
  const names: string[][] = []
  running.removeAllListeners("request")
  running.on("request", (request, response) => {
    const { host = "none", origin = "none" } = request.headers
    if (!isProbe(request)) names.push([host, origin])
    response.end()
  })
  const theirs = new URL(address ?? "").port
  const own = String(forwarding.port)
  const asked = async (...lines: string[]) => {
    const socket = connect(forwarding.port, "127.0.0.1")
    socket.resume().write([...lines, "", ""].join("\r\n"))
    await once(socket, "close")
  }
  await asked("GET / HTTP/1.0")
  for (const port of [own, theirs])
    await asked("GET / HTTP/1.0", `Host: localhost:${port}`, `Origin: http://localhost:${port}`)
  await asked("GET / HTTP/1.0", "Host: casella.example", "Origin: http://evil.example")
  expect(names).toEqual([
    ["", "none"],
    [`localhost:${theirs}`, `http://localhost:${theirs}`],
    [`localhost:${own}`, `http://localhost:${own}`],
    ["casella.example", "http://evil.example"],
  ])
})

// Catches clients that keep file descriptors open forever with a half-closed upgrade or an endless body.
test("disconnects refused clients", async () => {
  running.removeAllListeners("request")
  running.on("request", ({ socket }) => socket.destroy())
  const refused = async (head: string) => {
    const socket = connect({ port: forwarding.port, host: "127.0.0.1", allowHalfOpen: true })
    socket.on("error", () => undefined)
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    socket.write(`${head}\r\nHost: a\r\n\r\n`)
    await once(socket, "end")
    const dripping = setInterval(() => socket.write("x"), 10)
    await new Promise((resolve) => socket.once("close", resolve)) // reported by the system when the other side has gone
    clearInterval(dripping)
    return text.split("\r\n")[0]
  }
  const upgrade = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Casella-Forwarded: x"
  expect(await refused(upgrade)).toBe("HTTP/1.1 503 Service Unavailable")
  expect(await refused("POST / HTTP/1.1\r\nContent-Length: 1000000")).toBe("HTTP/1.1 503 Service Unavailable")
})

// Catches a standby server that is reported as dead while no server is active.
test("reports its own health while no server is active", async () => {
  address = null
  expect(await (await fetch(at("/api/health"))).json()).toEqual({ status: "ok", version: "1.2.3" })
})

// Catches a remote client that claims to be on the standby server's computer, where loopback names are valid.
test("reports the client's connection address to the active server from the socket only", async () => {
  const arrivals: unknown[] = []
  running.on("request", (request) => isProbe(request) || arrivals.push(request.headers[arrivalHeader]))
  await (await fetch(at("/"), { headers: { [arrivalHeader]: "10.0.0.2" } })).text()
  expect(arrivals).toEqual(["127.0.0.1"])
})

// Catches a server that mistakes a standby server, another program, another team's server or itself for the active server.
test("finds the active server among several", async () => {
  const of = { token: "token", publicUrl: null }
  const [waits, runs] = [at("/"), address ?? ""]
  expect(await findOtherRunningBox([waits, "http://127.0.0.1:9", runs], of)).toBeNull()
  let answer = { status: 200, id: ownBoxId }
  running.removeAllListeners("request")
  running.on("request", (_request, response) => {
    response.writeHead(answer.status, { [boxIdHeader]: answer.id }).end()
  })
  expect(await findOtherRunningBox([waits, runs], of)).toBeNull()
  for (const status of [200, 403]) {
    answer = { status, id: "another" }
    expect(await findOtherRunningBox([waits, runs], of)).toBe(runs)
  }
  expect((await fetch(at("/"))).headers.has(boxIdHeader)).toBe(false)
})
