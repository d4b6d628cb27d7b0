import { once } from "node:events"
import { mkdtemp, open, rm, writeFile } from "node:fs/promises"
import { createServer, type Server, type ServerResponse } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express from "express"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { openEventStream } from "./answers/event-stream.ts"
import { createHttpServer } from "./http-server.ts"
import { sendFile } from "./answers/send-file.ts"
import { createUnsentAnswers } from "./answers/answer-limits.ts"

const stallMs = 500
/** The system buffers some megabytes per connection before data accumulates in the box. */
const bytes = 24 * 2 ** 20
const list = JSON.stringify("x".repeat(bytes))

let directory: string
let server: Server
/** Connections from the server's side. */
let connections: Socket[]
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-stalled-"))
  await writeFile(join(directory, "file"), Buffer.alloc(bytes))
})
afterAll(() => rm(directory, { recursive: true }))
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function listen(served: Server): Promise<void> {
  server = served
  connections = []
  server.on("connection", (socket: Socket) => connections.push(socket))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
}

/** Sends requests, and reads nothing until resumed. */
async function ask(...paths: string[]): Promise<{ client: Socket; seen: Socket }> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  client.on("error", () => undefined)
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: box\r\n\r\n`).join(""))
  const [seen] = (await once(server, "connection")) as [Socket]
  return { client, seen }
}

async function received(client: Socket, pause?: () => Promise<unknown>): Promise<number> {
  let size = 0
  for await (const chunk of client as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size >= bytes) break
    await pause?.()
  }
  return size
}

test.each([
  // Catches clients that hold a list of megabytes, a file handle or an answer's listener until the box stops.
  { path: "/list", max: Infinity },
  // Catches buffers that grow with the amount of data to send.
  { path: "/file", max: 100_000 },
  { path: "/stream", max: 100_000 },
])("drops a client that reads nothing of $path, and buffers little for it", async ({ path, max }) => {
  let longest = 0
  const app = express()
  app.get("/list", (_request, response) => void response.type("json").send(list))
  app.get("/file", async (request, response) => {
    const handle = await open(join(directory, "file"))
    await sendFile(request, response, { handle, name: "file", mimeType: "text/plain" }, stallMs / 6)
  })
  app.get("/stream", async (_request, response) => {
    const stream = openEventStream(response, stallMs)
    while (!stream.closed.aborted) await stream.send("a short event")
  })
  await listen(createHttpServer(app, path === "/stream" ? 2 ** 31 - 1 : stallMs))
  server.on("request", (_request, response) => {
    const check = () => (longest = Math.max(longest, response.writableLength))
    const timer = setInterval(check, stallMs / 10)
    response.once("close", () => clearInterval(timer))
  })
  const { client, seen } = await ask(path)
  await once(seen, "close")
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(max)
  expect(await received(client).catch(() => 0)).toBeLessThan(bytes)
})

// Catches a slow connection, or a program that processes data while reading, treated as stalled.
test("sends a whole download to a slow reader, although it takes much longer", async () => {
  const app = express()
  app.get("/file", async (request, response) => {
    const handle = await open(join(directory, "file"))
    await sendFile(request, response, { handle, name: "file", mimeType: "text/plain" }, stallMs / 6)
  })
  await listen(createHttpServer(app, stallMs))
  const { client } = await ask("/file")
  const started = performance.now()
  const tick = () => new Promise((resolve) => setTimeout(resolve, 4))
  expect(await received(client, tick)).toBeGreaterThanOrEqual(bytes)
  expect(performance.now() - started).toBeGreaterThan(2 * stallMs)
})

// Catches a client that seems to be reading each time the system buffers a little more for it.
test("drops a client that reads a part of a download now and then, with pauses", async () => {
  const app = express()
  app.get("/file", async (request, response) => {
    const handle = await open(join(directory, "file"))
    await sendFile(request, response, { handle, name: "file", mimeType: "text/plain" }, stallMs / 6, 6)
  })
  await listen(createHttpServer(app, stallMs))
  const { client, seen } = await ask("/file")
  let sent = 0
  const pauseAtProgress = async () => {
    if (seen.bytesWritten === sent) return
    sent = seen.bytesWritten
    await new Promise((resolve) => setTimeout(resolve, 0.7 * stallMs))
  }
  expect(await received(client, pauseAtProgress).catch(() => 0)).toBe(0)
})

// Catches hundreds of streams read from their start, whose connections accept megabytes at once in one turn of the event loop.
test("lets other work run while a stream has much to send", async () => {
  const events = 100
  let [turns, isSending] = [0, true]
  const count = () => {
    turns++
    if (isSending) setImmediate(count)
  }
  const app = express()
  app.get("/stream", async (_request, response) => {
    const stream = openEventStream(response)
    count()
    for (let event = 0; event < events; event++) await stream.send("x".repeat(10_000))
    isSending = false
    stream.end()
  })
  await listen(createHttpServer(app, stallMs))
  const { client } = await ask("/stream")
  client.resume()
  await expect.poll(() => isSending).toBe(false)
  expect(turns).toBeGreaterThanOrEqual(events)
})

// Catches an answer that takes long to create, such as a model's, disconnected because nothing is sent in the meantime.
test("waits for an answer that is still being created", async () => {
  const app = express()
  app.get("/late", async (_request, response) => {
    await once(response, "timeout")
    response.send("late")
  })
  await listen(createHttpServer(app, stallMs))
  expect(await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/late`)).text()).toBe(
    "late",
  )
})

// Catches a client that has hundreds of lists created at once by pipelining requests on one connection.
test("handles pipelined requests after the previous answer is read", async () => {
  let made = 0
  const app = express()
  app.get("/list", (_request, response) => {
    made++
    response.type("json").send(list)
  })
  await listen(createHttpServer(app, 60_000))
  const { client } = await ask("/list", "/list", "/list")
  await once(client, "readable")
  expect(made).toBe(1)
  client.resume()
  await expect.poll(() => made).toBe(3)
})

// Catches memory that grows with a client's pipelined requests, and work for one that is already disconnected.
test("disconnects a client that pipelines too many requests, and handles none of the waiting ones", async () => {
  let made = 0
  const first = Promise.withResolvers<ServerResponse>()
  await listen(
    createHttpServer((_request, response) => {
      if (made++ === 0) first.resolve(response)
      else response.end()
    }, 60_000),
  )
  const { client } = await ask(...Array.from({ length: 40 }, () => "/"))
  const response = await first.promise
  const cut = new Promise((resolve) => client.once("close", resolve)) // it may be reset
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(40))
  client.resume()
  await cut
  expect([made, response.destroyed]).toEqual([1, true])
})

// Catches lists that a thousand clients request but none reads and that are all kept, and a reading client that is disconnected because of
// them.
test.each(["x", "漢"])(
  "disconnects the longest-waiting clients when too much is unsent in total: %s",
  async (one) => {
    const text = one.repeat(bytes / Buffer.byteLength(one))
    const unsent = createUnsentAnswers(2.5 * bytes)
    await listen(
      createServer((request, response) => {
        unsent.watch(request, response)
        response.setHeader("content-length", bytes)
        response.end(text)
      }),
    )
    const first = await ask("/")
    const second = await ask("/")
    const third = await ask("/")
    await once(first.seen, "close")
    expect(await received(third.client)).toBeGreaterThanOrEqual(bytes)
    expect(await received(second.client)).toBeGreaterThanOrEqual(bytes)
  },
)
