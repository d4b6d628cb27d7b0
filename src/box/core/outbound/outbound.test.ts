import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { runInBackground, onBehalfOf } from "../async-context.ts"
import { openOutbound, type OpenOutbound } from "./testing/open-outbound.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let server: Server
let route: RequestListener
let asked: string[]
let outbound: OpenOutbound
/** The system routes 0.0.0.0 to this computer too, but as written it is another computer. */
const remoteUrl = (path = "/") => `http://0.0.0.0:${(server.address() as AddressInfo).port}${path}`
const here = (path = "/") => remoteUrl(path).replace("0.0.0.0", "127.0.0.1")

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? "")
    route(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked = []
  route = (_request, response) => response.end("hello")
  outbound = openOutbound()
  return () => outbound[Symbol.asyncDispose]()
})

// Catches an address, a header or a body that is recorded, or counts that don't match the data sent.
it("records where, why, how much and for whom, but no content", async () => {
  const answer = gzipSync("x".repeat(50_000))
  route = (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(answer)
  const cause = { userId: "u", chatId: "c", assistantId: "a", tool: "webSearch" }
  const response = await onBehalfOf(cause, () =>
    outbound.fetch(remoteUrl("/path/secret?key=secret#secret"), {
      purpose: "web-search",
      method: "POST",
      headers: { authorization: "Bearer secret" },
      body: "secret".repeat(1000),
    }),
  )
  expect(await response.text()).toHaveLength(50_000)
  const [record] = outbound.records
  expect(record).toMatchObject({
    ...cause,
    purpose: "web-search",
    host: new URL(remoteUrl()).host,
    outcome: "ok",
  })
  expect(record?.bytesSent).toBeGreaterThan(6000)
  expect(record?.bytesSent).toBeLessThan(7000)
  expect(record?.bytesReceived).toBeGreaterThan(answer.length)
  expect(record?.bytesReceived).toBeLessThan(answer.length + 500)
  expect(JSON.stringify(outbound.records)).not.toContain("secret")
})

it("records nothing for this computer itself, and allows it", async () => {
  outbound.set({ on: true })
  expect(await (await outbound.fetch(here(), { purpose: "chat-model" })).text()).toBe("hello")
  expect(outbound.records).toEqual([])
})

// Catches a name lookup, which reveals the name to others, or a byte that is sent before the check.
it("sends nothing while local-only is on", async () => {
  outbound.set({ on: true })
  const addresses = [
    remoteUrl(),
    "http://unknown.example/",
    "https://192.168.0.1/",
    "http://localhost.example/",
  ]
  for (const address of addresses) {
    expect(outbound.refusal(address)?.code).toBe("local_only")
    const refused = outbound.fetch(address, { purpose: "web-page" })
    await expect(refused).rejects.toMatchObject({
      code: "local_only",
      message: expect.stringContaining("Settings › Privacy") as string,
      details: { action: "/settings/privacy" },
    })
  }
  outbound.set({ decidedBy: "start" })
  expect(outbound.refusal(remoteUrl())?.message).toContain("--local-only")
  expect(asked).toEqual([])
  expect(outbound.records.map(({ outcome, bytesSent }) => [outcome, bytesSent])).toEqual(
    addresses.map(() => ["refused", 0]),
  )
})

it("records how a connection failed", async () => {
  route = (request) => request.socket.destroy()
  await expect(outbound.fetch(remoteUrl(), { purpose: "weather" })).rejects.toThrow()
  const closed = new URL(remoteUrl())
  closed.port = "9"
  await expect(outbound.fetch(closed, { purpose: "weather" })).rejects.toThrow()
  const stop = new AbortController()
  route = () => stop.abort(new Error("stopped"))
  await expect(outbound.fetch(remoteUrl(), { purpose: "weather", signal: stop.signal })).rejects.toThrow(
    "stopped",
  )
  const sent = outbound.records.map(({ outcome, bytesSent }) => [outcome, Number(bytesSent) > 0])
  expect(sent).toEqual([
    ["failed", true],
    ["failed", false],
    ["failed", true],
  ])
})

it("returns a redirect instead of following it past the check", async () => {
  route = (_request, response) => response.writeHead(302, { location: "http://unknown.example/" }).end()
  const response = await outbound.fetch(remoteUrl(), { purpose: "web-page" })
  expect(response.status).toBe(302)
  expect((await outbound.fetch(here(), { purpose: "web-page" })).status).toBe(302)
  expect(outbound.records).toHaveLength(1)
})

// Catches a download or a stream that continues after its owner turned on local-only.
it("ends connections in progress when it is turned on, except to this computer", async () => {
  route = (_request, response) => void response.write("first")
  const away = await outbound.fetch(remoteUrl(), { purpose: "chat-model" })
  const near = await outbound.fetch(here(), { purpose: "chat-model" })
  route = () => undefined
  const silent = outbound.fetch(remoteUrl(), { purpose: "chat-model" })
  const ended = [expect(away.text()).rejects.toMatchObject({ code: "local_only" })]
  ended.push(expect(silent).rejects.toMatchObject({ code: "local_only" }))
  await waitFor(() => expect(asked).toHaveLength(3))
  outbound.cutOff()
  expect(outbound.records.map(({ outcome }) => outcome)).toEqual(["open", "open"])
  outbound.set({ on: true })
  outbound.cutOff()
  await Promise.all(ended)
  await waitFor(() => expect(outbound.records.map(({ outcome }) => outcome)).not.toContain("open"))
  const reader = near.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  await reader?.cancel()
})

// Catches a request that was allowed just before local-only was turned on, and whose connection is still being prepared.
it("ends a connection that started at the same moment", async () => {
  const started = outbound.fetch(remoteUrl(), { purpose: "web-search" }).catch((error: unknown) => error)
  outbound.set({ on: true })
  outbound.cutOff()
  expect(await started).toMatchObject({ code: "local_only" })
  expect(asked).toEqual([])
  expect(outbound.records.map(({ outcome }) => outcome)).toEqual(["failed"])
})

// Catches a connection of a stopped box that nothing ends.
it("sends nothing after it has ended", async () => {
  await outbound[Symbol.asyncDispose]()
  await expect(outbound.fetch(remoteUrl(), { purpose: "weather" })).rejects.toThrow()
  await expect(outbound.fetch(here(), { purpose: "weather" })).rejects.toThrow()
  expect(asked).toEqual([])
})

it("records programs that connect by themselves, without their bytes", () => {
  outbound.noteProgram("npx").end("ok")
  outbound.set({ on: true })
  expect(() => outbound.noteProgram("npx")).toThrow(expect.objectContaining({ code: "local_only" }) as Error)
  outbound.set({ programs: true })
  outbound.noteProgram("uvx")
  expect(() => outbound.noteForeign("update", "https://updates.example/feed?key=secret")).toThrow(
    "local only",
  )
  expect(outbound.records.map(({ host, outcome, bytesSent }) => [host, outcome, bytesSent])).toEqual([
    ["npx", "ok", null],
    ["npx", "refused", null],
    ["uvx", "open", null],
    ["updates.example", "refused", null],
  ])
})

it("attributes connections across awaited calls, and none of them to a user in background work", async () => {
  await onBehalfOf({ userId: "u" }, async () => {
    await onBehalfOf({ tool: "fetch" }, () => outbound.fetch(remoteUrl(), { purpose: "web-page" }))
    await runInBackground(() => outbound.fetch(remoteUrl(), { purpose: "embedding-model" }))
  })
  expect(outbound.records).toMatchObject([
    { userId: "u", tool: "fetch" },
    { userId: null, tool: null },
  ])
})
