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
import { createUnsentAnswers } from "./answers/unsent-answers.ts"

const stallMs = 500
/** The system takes some megabytes for each connection before anything piles up in the box. */
const bytes = 24 * 2 ** 20
const list = JSON.stringify("x".repeat(bytes))

let directory: string
let server: Server
/** Connections as the server sees them. */
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

/** Asks, and reads nothing until it is told to. */
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
  // Would catch: clients that keep a list of megabytes, a file's handle or an answer's listener until the box ends.
  { path: "/list", most: Infinity },
  // Would catch: buffers that grow with what there is to send.
  { path: "/file", most: 100_000 },
  { path: "/stream", most: 100_000 },
])("a client that reads nothing of $path is dropped, and little is kept for it", async ({ path, most }) => {
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
    const look = () => (longest = Math.max(longest, response.writableLength))
    const timer = setInterval(look, stallMs / 10)
    response.once("close", () => clearInterval(timer))
  })
  const { client, seen } = await ask(path)
  await once(seen, "close")
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(most)
  expect(await received(client).catch(() => 0)).toBeLessThan(bytes)
})

// Would catch: a slow line, or a program that works on what it reads, that is taken for stalled.
test("a client that reads slowly gets all of a download, though it takes much longer", async () => {
  const app = express()
  app.get("/file", async (request, response) => {
    const handle = await open(join(directory, "file"))
    await sendFile(request, response, { handle, name: "file", mimeType: "text/plain" }, stallMs / 6)
  })
  await listen(createHttpServer(app, stallMs))
  const { client } = await ask("/file")
  const begun = performance.now()
  const tick = () => new Promise((resolve) => setTimeout(resolve, 4))
  expect(await received(client, tick)).toBeGreaterThanOrEqual(bytes)
  expect(performance.now() - begun).toBeGreaterThan(3 * stallMs)
})

// Would catch: a client for which the system takes a bit now and then, which counts as reading each time.
test("a client that takes a part of a download now and then, and pauses in between, is dropped", async () => {
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

// Would catch: hundreds of streams followed from their beginning, whose connections take megabytes at once, in one turn of the loop.
test("a stream that has much to send lets everything else have its turn", async () => {
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

// Would catch: an answer that takes long to make, such as a model's, cut off because nothing is sent meanwhile.
test("an answer that is still being made is waited for", async () => {
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

// Would catch: a client that has hundreds of lists made at once by asking ahead on one connection.
test("requests that are sent ahead have their turn once the answer before is taken", async () => {
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

// Would catch: memory that grows with what a client asks ahead, and work for one that is cut off by then.
test("who asks for more than some ahead is cut off, and nothing of it is done", async () => {
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
  const cut = once(client, "close")
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(40))
  client.resume()
  await cut
  expect([made, response.destroyed]).toEqual([1, true])
})

// Would catch: lists that a thousand clients ask for and none reads, all of them kept; or a reader that pays for them.
test.each(["x", "漢"])(
  "once too much is unsent in all, those that wait longest are cut off: %s",
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
