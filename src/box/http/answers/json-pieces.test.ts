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
/** Together more than the system takes for a connection. */
const elements = 240
const schema = z.object({
  name: z.string().optional(),
  inner: z.object({ list: z.array(z.object({ text: z.string() })), last: z.number() }),
})

const read: string[] = []
/** Notes each reading of its field. */
const frozen = Object.freeze({
  get inner() {
    read.push("inner")
    return { last: 1, list: [{ text: "x", secret: "s" }] }
  },
  secret: "s",
})

let server: Server
/** How many elements were made for each who asked, in the order they came. */
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

/** Asks and reads nothing. */
async function ask(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  clients.push(client.on("error", () => undefined))
  client.write("GET / HTTP/1.1\r\nhost: box\r\n\r\n")
  await once(server, "request")
  return client
}

/** Settles once no more is made for this one. */
async function untilHeld(count: { count: number }): Promise<void> {
  let before = -1
  const isHeld = () => {
    const same = before === count.count
    before = count.count
    return same
  }
  await expect.poll(isHeld, { interval: 100 }).toBe(true)
}

// Would catch: a list that is checked and written anew for each request, and one that leaves as another endpoint allows it.
it("makes the JSON of a frozen value once for a schema", async () => {
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

// Would catch: pieces that don't make up the JSON of the whole, or hold what the contract doesn't declare.
it("sends what the schema declares, whole and in order", async () => {
  const answer = await fetch(address())
  const value = schema.parse(await answer.json())
  expect(value.inner.list).toHaveLength(elements)
  expect(JSON.stringify(value)).toBe(
    JSON.stringify({
      inner: { list: Array.from({ length: elements }, () => ({ text: "x".repeat(elementBytes) })), last: 1 },
    }),
  )
})

// Would catch: a short way for usual answers that goes round the contract, or one whose length is wrong.
it("sends what the schema declares of an answer that is there as a whole", async () => {
  const answer = await fetch(`${address()}whole`)
  const text = await answer.text()
  expect(text).toBe('{"inner":{"list":[{"text":"x"}],"last":1}}')
  expect(answer.headers.get("content-length")).toBe(String(text.length))
})

// Would catch: megabytes that are made and kept for a client that doesn't read.
it("makes no more than the client takes", async () => {
  const client = await ask()
  const [count] = made
  if (!count) throw new Error("Nobody asked.")
  await untilHeld(count)
  expect(count.count).toBeLessThan(elements)
  client.resume()
  await expect.poll(() => count.count).toBe(elements)
})

// Would catch: an answer that fails in the middle and looks complete, or one that fails at once and has no error.
it.each([0, elements / 2])("tells of a fault at element %d", async (at) => {
  fault = { at, error: new AppError("not_found", Sentence.asIs("It is gone.")) }
  const answer = await fetch(address())
  if (at === 0) {
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: "not_found" })
  } else await expect(answer.text()).rejects.toThrow("terminated")
})

// Would catch: whoever left in the middle, and for whom the rest is made.
it("stops for a client that goes away", async () => {
  const client = await ask()
  const [count] = made
  if (!count) throw new Error("Nobody asked.")
  await untilHeld(count)
  client.destroy()
  await fetch(address()).then((answer) => answer.arrayBuffer())
  expect(count.count).toBeLessThan(elements)
})
