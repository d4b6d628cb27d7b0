import { once } from "node:events"
import type { Server } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import express from "express"
import { afterEach, beforeEach, expect, it } from "vitest"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { sendError, toAppError } from "../error-response.ts"
import { createHttpServer } from "../http-server.ts"
import { jsonPieces, sendJson, sendPieces } from "./json-pieces.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

const elementBytes = 100_000
/** Together larger than the system's buffers for a connection. */
const elements = 240
const schema = z.object({
  name: z.string().optional(),
  inner: z.object({ list: z.array(z.object({ text: z.string() })), last: z.number() }),
})

const read: string[] = []
/** Records each read of its field. */
const frozen = Object.freeze({
  get inner() {
    read.push("inner")
    return { last: 1, list: [{ text: "x", secret: "s" }] }
  },
  secret: "s",
})

let server: Server
/** Number of elements created for each request, in order of arrival. */
let made: { count: number }[]
let fault: { at: number; error: AppError } | undefined
const clients: Socket[] = []

async function* list(count: { count: number }) {
  for (; count.count < elements; count.count++) {
    if (fault?.at === count.count) throw fault.error
    yield { text: "x".repeat(elementBytes), secret: "s" }
    await Promise.resolve()
  }
}

beforeEach(async () => {
  made = []
  fault = undefined
  const app = express()
  app.get("/", async (request, response) => {
    const count = { count: 0 }
    made.push(count)
    const value = { inner: { last: 1, list: list(count), secret: "s" } }
    await sendPieces(request, response, jsonPieces(schema, value), silentLogger).catch((error: unknown) =>
      sendError(response, "/", toAppError(error, silentLogger)),
    )
  })
  app.get("/frozen/:number", async (request, response) => {
    const checkedBy = request.params.number === "3" ? z.object({}) : schema
    await sendJson(request, response, { schema: checkedBy, value: frozen }, silentLogger)
  })
  app.get("/whole", async (request, response) => {
    const value = { inner: { last: 1, list: [{ text: "x", secret: "s" }], secret: "s" } }
    await sendJson(request, response, { schema, value }, silentLogger)
  })
  server = createHttpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.closeAllConnections()
  server.close()
})

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

/** Sends a request and doesn't read the answer. */
async function ask(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  clients.push(client.on("error", () => undefined))
  client.write("GET / HTTP/1.1\r\nhost: box\r\n\r\n")
  await once(server, "request")
  return client
}

/** Resolves when no more elements are created for this request. */
async function waitUntilPaused(count: { count: number }): Promise<void> {
  let before = -1
  const isHeld = () => {
    const same = before === count.count
    before = count.count
    return same
  }
  await expect.poll(isHeld, { interval: 100 }).toBe(true)
}

// Catches a list that is checked and serialised again for each request, and one that is sent with another endpoint's schema.
it("creates the JSON of a frozen value once per schema", async () => {
  const answerTo = async (path: string) => {
    read.length = 0
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
    return answer.text()
  }
  const whole = `{"inner":{"list":[{"text":"x"}],"last":1}}`
  expect(await answerTo("/frozen/1")).toBe(whole)
  const whenChecked = read.length
  expect(await answerTo("/frozen/2")).toBe(whole)
  expect(read.length).toBeLessThan(whenChecked)
  expect(await answerTo("/frozen/3")).toBe("{}")
})

// Catches pieces that don't add up to the whole JSON, or that contain undeclared fields.
it("sends all declared fields in order", async () => {
  const answer = await fetch(address())
  const value = schema.parse(await answer.json())
  expect(value.inner.list).toHaveLength(elements)
  expect(JSON.stringify(value)).toBe(
    JSON.stringify({
      inner: { list: Array.from({ length: elements }, () => ({ text: "x".repeat(elementBytes) })), last: 1 },
    }),
  )
})

// Catches a shortcut for ordinary answers that bypasses the contract or sends a wrong length.
it("sends only declared fields of an answer that is available as a whole", async () => {
  const answer = await fetch(`${address()}whole`)
  const text = await answer.text()
  expect(text).toBe('{"inner":{"list":[{"text":"x"}],"last":1}}')
  expect(answer.headers.get("content-length")).toBe(String(text.length))
})

// Catches megabytes that are created and kept for a client that doesn't read.
it("creates no more than the client reads", async () => {
  const client = await ask()
  const [count] = made
  if (!count) throw new Error("Nobody asked.")
  await waitUntilPaused(count)
  expect(count.count).toBeLessThan(elements)
  client.resume()
  await expect.poll(() => count.count).toBe(elements)
})

// Catches an answer that fails midway and looks complete, or one that fails at once without an error.
it.each([0, elements / 2])("reports a failure at element %d", async (at) => {
  fault = { at, error: new AppError("not_found", Sentence.asIs("It is gone.")) }
  const answer = await fetch(address())
  if (at === 0) {
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: "not_found" })
  } else await expect(answer.text()).rejects.toThrow("terminated")
})

// Catches work that continues for a client that disconnected midway.
it("stops when the client disconnects", async () => {
  const client = await ask()
  const [count] = made
  if (!count) throw new Error("Nobody asked.")
  await waitUntilPaused(count)
  client.destroy()
  await fetch(address()).then((answer) => answer.arrayBuffer())
  expect(count.count).toBeLessThan(elements)
})
