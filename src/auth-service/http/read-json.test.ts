import { once } from "node:events"
import { request as httpRequest, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxTicketBytes } from "../../shared/contract/tickets.ts"
import { silentLogger } from "../core/logger.ts"
import { startTestService, validTicket, type TestService } from "../testing/test-service.ts"
import { createReadJson } from "./read-json.ts"
import { sendError, toServiceError } from "./http-server.ts"

let service: TestService
let jwt: string
beforeAll(async () => {
  service = await startTestService()
  jwt = (await service.account("ann")).jwt
})
afterAll(() => service?.[Symbol.asyncDispose]())

type Encode = (body: Buffer) => Buffer

/** A valid ticket body of exactly `bytes` bytes. */
function makeTicket(bytes: number): Buffer {
  const empty = JSON.stringify({ ...validTicket, context: { filler: "" } })
  const filler = "x".repeat(bytes - Buffer.byteLength(empty))
  return Buffer.from(JSON.stringify({ ...validTicket, context: { filler } }))
}

/** Sends chunks unchanged, without Content-Length unless it is among the headers. */
function post(chunks: Buffer[], headers: Record<string, string> = {}) {
  return new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
    const outgoing = httpRequest(
      `${service.url}/api/v1/tickets`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${jwt}`, "content-type": "application/json", ...headers },
      },
      (answer) => {
        let text = ""
        answer.setEncoding("utf8")
        answer.on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => {
          const body = JSON.parse(text) as { error?: { code: string } }
          resolve({ status: answer.statusCode ?? 0, code: body.error?.code })
        })
      },
    )
    outgoing.on("error", reject)
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

const tooLarge = { status: 413, code: "PAYLOAD_TOO_LARGE" }
const invalid = { status: 400, code: "INVALID_JSON" }
const unsupported = { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }

describe("A ticket's body", () => {
  // Catches a limit that is only read from Content-Length, or is off by one.
  it.each([true, false])("has at most 20,000,000 bytes, Content-Length given: %s", async (declared) => {
    const send = (bytes: number) => {
      const body = makeTicket(bytes)
      return post([body], declared ? { "content-length": String(body.length) } : {})
    }
    expect((await send(maxTicketBytes)).status).toBe(201)
    expect(await send(maxTicketBytes + 1)).toEqual(tooLarge)
    expect(await send(maxTicketBytes + 3_000_000)).toEqual(tooLarge)
  })

  // Catches a decompression bomb.
  it.each<[string, Encode]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", (body) => brotliCompressSync(body, { params: { 1: 1 } })],
  ])("is limited after decompression: %s", async (encoding, encode) => {
    const headers = { "content-encoding": encoding }
    expect((await post([encode(makeTicket(5_000))], headers)).status).toBe(201)
    expect(await post([encode(makeTicket(maxTicketBytes + 1))], headers)).toEqual(tooLarge)
    expect(await post([encode(Buffer.alloc(100_000_000))], headers)).toEqual(tooLarge)
    expect(await post([Buffer.from("not compressed")], headers)).toEqual(invalid)
    expect(await post([encode(makeTicket(5_000)).subarray(0, 40)], headers)).toEqual(invalid)
  })

  // Catches a character that is split between two chunks, or altered.
  it("keeps every character, wherever it is split into chunks", async () => {
    const description = 'é ß 漢字 🎫 "quoted" \\ \u2028 \ud800 \u0001'
    const body = Buffer.from(JSON.stringify({ ...validTicket, description, context: { ключ: "🎫" } }))
    const bytes = Array.from(body, (byte) => Buffer.from([byte]))
    expect((await post(bytes)).status).toBe(201)
    const row = await service.database.db
      .selectFrom("tickets")
      .innerJoin("ticketParts", "ticketId", "id")
      .select(["description", "text"])
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ description: description.replace("\ud800", "\ufffd"), text: '{"ключ":"🎫"}' })
  })

  it("may start with a byte order mark", async () => {
    expect((await post([Buffer.from(`\ufeff${JSON.stringify(validTicket)}`)])).status).toBe(201)
  })

  it("must not be missing, cut off, or anything but UTF-8 JSON", async () => {
    expect(await post([])).toEqual(invalid)
    expect(await post([], { "content-length": "0" })).toEqual(invalid)
    expect(await post([Buffer.from('{"sourceApp":')])).toEqual(invalid)
    expect(await post([Buffer.from([0x22, 0xff, 0xfe, 0x22])])).toEqual(invalid)
    expect(await post([Buffer.from(JSON.stringify(validTicket), "utf16le")])).toEqual(invalid)
  })

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json; charset=latin1",
    "",
  ])("isn't accepted as %s", async (type) => {
    expect(await post([Buffer.from(JSON.stringify(validTicket))], { "content-type": type })).toEqual(
      unsupported,
    )
  })

  it("is accepted with a charset, and refused in an unknown encoding", async () => {
    const body = [Buffer.from(JSON.stringify(validTicket))]
    expect((await post(body, { "content-type": "Application/JSON; charset=UTF-8" })).status).toBe(201)
    expect(await post(body, { "content-encoding": "compress" })).toEqual(unsupported)
    expect(await post(body, { "content-encoding": "constructor" })).toEqual(unsupported)
  })
})

// Catches as many bodies in memory as there are clients, or memory that is never released.
it("bodies that exceed the shared memory limit are asked to retry until others are done", async () => {
  const readJson = createReadJson(1_000)
  const app = express()
  const reading = Promise.withResolvers<ServerResponse>()
  app.post("/", async (request, response) => {
    try {
      await readJson(request, response, 2_000)
      if (request.headers["x-stay"] === undefined) response.json({})
      else reading.resolve(response)
    } catch (error) {
      sendError(request, response, toServiceError(error, silentLogger))
    }
  })
  const server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    const { port } = server.address() as AddressInfo
    const send = (headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify("x".repeat(600)),
      })
    const first = send({ "x-stay": "yes" })
    const held = await reading.promise
    const second = await send()
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"])
    const closed = once(held, "close")
    held.end()
    await first
    await closed
    expect((await send()).status).toBe(200)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
