import { once } from "node:events"
import type { Server } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import express from "express"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createHttpServer } from "../http-server.ts"
import { createLargeAnswers } from "./answer-limits.ts"

/** Larger than the system's buffers for a connection. */
const text = "x".repeat(24 * 2 ** 20)

let server: Server
/** Request paths in the order in which their answers were created. */
let made: string[]
/** Request paths whose connection is closed. */
let left: string[]
const clients: Socket[] = []

async function listen(readingMs: number): Promise<void> {
  const large = createLargeAnswers(readingMs)
  const [madeHere, leftHere] = [made, left] // Connections of the previous test may close during this one.
  const app = express()
  app.get("/:visitor/:number", async (request, response) => {
    response.once("close", () => leftHere.push(request.url))
    const work = async () => {
      madeHere.push(request.url)
      response.end(text)
    }
    await large.make(request, request.params.visitor, work).catch(() => undefined)
  })
  server = createHttpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
}

/** Sends a request without reading the answer. Resolves when the box has the request. */
async function ask(path: string): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  clients.push(client.on("error", () => undefined))
  client.write(`GET ${path} HTTP/1.1\r\nhost: box\r\n\r\n`)
  await once(server, "request")
  return client
}

beforeEach(() => {
  made = []
  left = []
})
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.closeAllConnections()
  server.close()
})

// Catches a script whose thousand unread lists are all created at once or delay other visitors.
it("creates a visitor's answers one after another, without delaying other visitors", async () => {
  await listen(2 ** 31 - 1)
  const first = await ask("/script/1")
  await ask("/script/2")
  await ask("/script/3")
  await ask("/other/1")
  await expect.poll(() => made).toEqual(["/script/1", "/other/1"])
  first.resume()
  await expect.poll(() => made).toEqual(["/script/1", "/other/1", "/script/2"])
})

// Catches one client that doesn't read and blocks its visitor's other clients until it is dropped.
it("continues after a while when a client doesn't read", async () => {
  await listen(50)
  await ask("/script/1")
  await ask("/script/2")
  await expect.poll(() => made).toEqual(["/script/1", "/script/2"])
})

// Catches megabytes that are created for a client that disconnected while waiting.
it("creates nothing for a client that disconnected", async () => {
  await listen(2 ** 31 - 1)
  const first = await ask("/script/1")
  const gone = await ask("/script/2")
  await ask("/script/3")
  gone.destroy()
  await expect.poll(() => [...left]).toEqual(["/script/2"])
  first.destroy()
  await expect.poll(() => made).toEqual(["/script/1", "/script/3"])
})
