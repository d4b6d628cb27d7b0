import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { WebSocket } from "ws"
import type { Scope } from "../../shared/contract/endpoint.ts"
import { socketPath, type SocketMessage } from "../../shared/contract/socket.ts"
import type { Logger } from "../core/logging/logger.ts"
import { createConnectedApps, type ConnectedApps, openSockets } from "./sockets.ts"
import { createGuard } from "./guard.ts"
import { createLiveConnections, type LiveConnections } from "./live-connections.ts"

let url: string
let server: Server
let apps: ConnectedApps
let live: LiveConnections
let counting: () => Promise<number>
let stack: AsyncDisposableStack

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  stack = new AsyncDisposableStack()
  server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  url = `ws://127.0.0.1:${port}${socketPath}`
  stack.defer(() => server.closeAllConnections())
  stack.defer(() => void server.close())
  live = createLiveConnections()
  counting = () => Promise.resolve(0)
  apps = createConnectedApps()
  stack.use(
    openSockets({
      server,
      apps,
      live,
      logger: { debug() {}, error() {} } as unknown as Logger,
      guard: createGuard({ port, allowedHosts: () => [], openAddresses: () => [], allowedOrigins: () => [] }),
      unreadCount: () => counting(),
      authenticate: ({ headers }) =>
        Promise.resolve({
          userId: String(headers["x-user"]),
          credentialId: "key",
          via: headers["x-via"] === "session" ? "session" : "key",
          origin: "API",
          scopes:
            headers["x-scopes"] === undefined ? null : (String(headers["x-scopes"]).split(" ") as Scope[]),
          isOwner: true,
        }),
    }),
  )
})
afterEach(async () => {
  await stack.disposeAsync()
  vi.useRealTimers()
})

/** Returns the status of a refused attempt, or 101 if the socket opens. */
async function getStatus(headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url, { headers: { "x-user": "mia", ...headers } })
  try {
    return await new Promise<number>((resolve, reject) => {
      socket.once("open", () => resolve(101))
      socket.once("unexpected-response", (_request, { statusCode = 0 }) => resolve(statusCode))
      socket.once("error", reject)
    })
  } finally {
    socket.once("error", () => undefined) // it may not be open yet
    socket.terminate()
  }
}

// Catches a limited key that hears of everything its owner's apps hear of, and a cookie that another site's page sends without an origin.
it("opens for keys that may read, and for sessions only with an origin", async () => {
  for (const scopes of ["assistants", "folders", "notify", "assistants folders notify"])
    expect(await getStatus({ "x-scopes": scopes }), scopes).toBe(403)
  for (const scopes of ["read-only", "notify read-only"])
    expect(await getStatus({ "x-scopes": scopes }), scopes).toBe(101)
  expect(await getStatus({ "x-via": "session" })).toBe(403)
  const origin = url.replace(/^ws/, "http").replace(socketPath, "")
  expect(await getStatus({ "x-via": "session", origin })).toBe(101)
})

async function connect(userId: string, options: object = {}) {
  const socket = new WebSocket(url, { headers: { "x-user": userId }, ...options })
  const messages: SocketMessage[] = []
  socket.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString("utf8")) as SocketMessage))
  await once(socket, "message")
  return { socket, messages }
}

const chat = (chatId: string): SocketMessage => ({ type: "chat", chatId, status: "active" })

describe("A client that can't keep up", () => {
  // Catches memory that grows with each stalled client, and a close that the client can't tell from a crash.
  it("is closed with 1013 when 64 kB are pending, while others receive everything", async () => {
    const connections: Socket[] = []
    server.on("connection", (socket: Socket) => connections.push(socket))
    const stalled = await connect("ann")
    const healthy = await connect("ann")
    stalled.socket.pause()
    const closed = once(stalled.socket, "close")
    const text = "x".repeat(100_000)
    let sent = 0
    // The system buffers some megabytes per connection before data accumulates in the box.
    while (apps.sendTo("ann", chat(text)) === 2 && sent < 1_000) {
      sent++
      while (healthy.messages.length < sent + 1) await once(healthy.socket, "message")
    }
    expect(sent).toBeLessThan(1_000)
    expect(apps.sendTo("ann", chat("after"))).toBe(1)
    expect(Math.max(...connections.map(({ writableLength }) => writableLength))).toBeLessThan(
      64_000 + 110_000,
    )
    stalled.socket.resume()
    expect((await closed)[0]).toBe(1013)
    expect(stalled.messages).toHaveLength(1 + sent)
    while (healthy.messages.length < sent + 3) await once(healthy.socket, "message")
    expect(healthy.messages.at(-1)).toEqual(chat("after"))
  })
})

describe("The heartbeat", () => {
  // Catches connections of sleeping computers that are kept forever.
  it("disconnects a client that doesn't answer a ping, and keeps one that does", async () => {
    const dead = await connect("ann", { autoPong: false })
    const alive = await connect("ann")
    const closed = once(dead.socket, "close")
    for (let beat = 0; beat < 3 && dead.socket.readyState === WebSocket.OPEN; beat++) {
      const pinged = [once(alive.socket, "ping"), ...(beat === 0 ? [once(dead.socket, "ping")] : [])]
      vi.advanceTimersByTime(30_000)
      await Promise.all(pinged)
      // After this message round trip, the answer to the ping has arrived.
      alive.socket.ping()
      await once(alive.socket, "pong")
      if (beat === 1) await closed
    }
    expect((await closed)[0]).toBe(1006)
    expect(apps.sendTo("ann", chat("still here"))).toBe(1)
  })
})

describe("Broadcasting", () => {
  it("reaches each of 1,000 apps once, in order, and only its recipients", async () => {
    const all: Awaited<ReturnType<typeof connect>>[] = []
    for (let batch = 0; batch < 10; batch++) {
      all.push(...(await Promise.all(Array.from({ length: 100 }, (_, n) => connect(n % 2 ? "ann" : "bob")))))
    }
    apps.send(null, chat("1"))
    apps.send(["ann"], chat("2"))
    apps.send(["ann", "bob", "nobody"], chat("3"))
    for (const [index, { socket, messages }] of all.entries()) {
      const expected = index % 2 ? ["1", "2", "3"] : ["1", "3"]
      while (messages.length < expected.length + 1) await once(socket, "message")
      expect(messages.slice(1).map((message) => "chatId" in message && message.chatId)).toEqual(expected)
    }
    expect(apps.sendTo("ann", chat("4"))).toBe(500)
    expect(apps.sendTo("nobody", chat("4"))).toBe(0)
  })
})

describe("Data sent by an app", () => {
  it("is discarded, and closes the connection when it is too long", async () => {
    const { socket } = await connect("ann")
    socket.send("hello?")
    const closed = once(socket, "close")
    socket.send("x".repeat(5_000))
    expect((await closed)[0]).toBe(1009)
  })
})

// Catches a socket that outlives its key because the key was revoked while the socket was opening.
it("A credential that is revoked during the upgrade opens no connection", async () => {
  const counted = Promise.withResolvers<number>()
  const asked = Promise.withResolvers<void>()
  counting = () => {
    asked.resolve()
    return counted.promise
  }
  const socket = new WebSocket(url, { headers: { "x-user": "ann" } })
  const failed = once(socket, "error")
  socket.on("open", () => expect.unreachable())
  await asked.promise
  live.close("key")
  counted.resolve(0)
  await failed
  expect(apps.sendTo("ann", chat("x"))).toBe(0)
})

// Catches a box that can't stop because a client never answers the close, or was refused and never disconnects.
it("Stopping disconnects clients that don't close their side", async () => {
  const { port } = new URL(url)
  const openRaw = async (header: string) => {
    const client = connectTcp({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true })
    client.write(
      `GET ${socketPath} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa("0123456789abcdef")}\r\n${header}\r\n\r\n`,
    )
    await once(client, "data")
    return client
  }
  const clients = [await openRaw("x-user: ann"), await openRaw("Origin: http://evil.example")]
  const ended = once(server, "close")
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
  await ended
  for (const client of clients) client.destroy()
})

it("Stopping notifies apps that the box is going away", async () => {
  const { socket } = await connect("ann")
  const closed = once(socket, "close")
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
  expect((await closed)[0]).toBe(1001)
})
