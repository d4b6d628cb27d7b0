import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import type { AddressInfo } from "node:net"
import os from "node:os"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openOutbound } from "../outbound/testing/open-outbound.ts"
import { createSafeFetch, type SafeFetch, type SafeRequest } from "./safe-fetch.ts"
import { carriers, notPublicIPv4, notPublicIPv6 } from "./testing/not-public.ts"

const routes: Record<string, RequestListener> = {}
let server: Server
let port: number
/** A server in the private network, which must never be reached. */
let sink: Server
let sinkPort: number
let reached = 0
let resolved: string[] = []
let answers: Record<string, string[][]> = {}
let safe: SafeFetch

beforeAll(async () => {
  server = createServer((request, response) => {
    const route = routes[(request.url ?? "").split("?", 1)[0] ?? ""]
    if (route) route(request, response)
    else response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  sink = createServer((_request, response) => {
    reached++
    response.end("secret")
  }).listen(0)
  sink.on("connection", () => reached++)
  await Promise.all([once(server, "listening"), once(sink, "listening")])
  port = (server.address() as AddressInfo).port
  sinkPort = (sink.address() as AddressInfo).port
  safe = createSafeFetch(openOutbound(), {
    permits: (address, at) => address === "127.0.0.1" && at === port,
    resolve: (hostname) => {
      resolved.push(hostname)
      const each = answers[hostname]
      const now = (each && each.length > 1 ? each.shift() : each?.[0]) ?? []
      if (now.length === 0) return Promise.reject(new Error("ENOTFOUND"))
      return Promise.resolve(now.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
    },
  })
})
afterAll(async () => {
  await safe[Symbol.asyncDispose]()
  server.closeAllConnections()
  sink.closeAllConnections()
  server.close()
  sink.close()
})

const get = (url: string, changes: Partial<SafeRequest> = {}) =>
  safe.fetch({ purpose: "web-page", url, signal: new AbortController().signal, ...changes })
const here = (path: string) => `http://127.0.0.1:${port}${path}`

const spellings = (dotted: string) => {
  const parts = dotted.split(".").map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  return [
    dotted,
    String(((a * 256 + b) * 256 + c) * 256 + d),
    parts.map((part) => `0x${part.toString(16)}`).join("."),
    parts.map((part) => `0${part.toString(8)}`).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${dotted}.`,
    dotted.replaceAll(".", "。"),
    dotted.replaceAll(".", "%2e"),
  ]
}
const literals = [
  ...notPublicIPv4.flatMap(spellings),
  ...notPublicIPv4.flatMap(carriers).map((address) => `[${address}]`),
  ...notPublicIPv6.map((address) => `[${address}]`),
]

// Catches a notation of a private address that passes the filter and is connected to.
it(`connects to none of ${literals.length} spellings of addresses that aren't public`, async () => {
  expect(literals.length).toBeGreaterThan(300)
  for (const literal of literals) {
    const answer = get(`http://${literal}:${sinkPort}/`)
    await expect(answer, literal).rejects.toMatchObject({
      code: expect.stringMatching(/^(forbidden_address|validation)$/) as string,
    })
  }
  await expect(get(`http://localhost:${sinkPort}/`)).rejects.toMatchObject({ code: "unprocessable" })
  expect(reached).toBe(0)
})

// Catches a check of a name that doesn't apply to the connection.
it("checks every address of a name, and connects to a checked one", async () => {
  routes["/"] = (_request, response) => response.end("hello")
  answers = {
    "mixed.test": [["127.0.0.1", "10.0.0.1"]],
    "mapped.test": [["::ffff:127.0.0.1"]],
    "rebind.test": [["127.0.0.1"], ["127.0.0.2"]],
    "good.test": [["127.0.0.1"]],
  }
  for (const name of ["mixed.test", "mapped.test"]) {
    await expect(get(`http://${name}:${port}/`)).rejects.toMatchObject({ code: "forbidden_address" })
  }
  resolved = []
  expect((await get(`http://rebind.test:${port}/`)).bytes.toString()).toBe("hello")
  expect(resolved).toEqual(["rebind.test"])
  await expect(get(`http://rebind.test:${sinkPort}/`)).rejects.toMatchObject({ code: "forbidden_address" })
  await expect(get("http://unknown.test/")).rejects.toThrow("No server named unknown.test was found.")
  expect(reached).toBe(0)
})

// Catches a page that makes the box connect to its neighbours, whose addresses are public with IPv6 and in data centres.
it("doesn't connect to neighbours that have public addresses", async () => {
  const { networkInterfaces } = os
  os.networkInterfaces = () => ({ eth0: [{ address: "93.184.216.5", cidr: "93.184.216.5/24" }] as never })
  syncBuiltinESMExports()
  try {
    answers = { "neighbour.example": [["93.184.216.7"]] }
    for (const host of ["93.184.216.7", "93.184.216.5", "neighbour.example"])
      await expect(get(`http://${host}:${port}/`, { limitMs: 2000 }), host).rejects.toMatchObject({
        code: "forbidden_address",
      })
  } finally {
    os.networkInterfaces = networkInterfaces
    syncBuiltinESMExports()
  }
})

// Catches a public page that redirects the box to the private network.
it("checks every redirect", async () => {
  answers = { "inside.test": [["192.168.1.1"]] }
  const targets = [
    `http://127.0.0.1:${sinkPort}/`,
    `http://localhost:${sinkPort}/`,
    `http://[::ffff:127.0.0.1]:${sinkPort}/`,
    `http://2130706433:${sinkPort}/`,
    `//[::1]:${sinkPort}/`,
    "http://inside.test/",
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    "data:text/plain,hello",
    "ftp://127.0.0.1/",
    `http://user:word@127.0.0.1:${port}/`,
    "http://127.0.0.1:22/",
  ]
  for (const target of targets) {
    for (const status of [301, 302, 303, 307, 308]) {
      routes["/away"] = (_request, response) => response.writeHead(status, { location: target }).end()
      await expect(get(here("/away")), target).rejects.toMatchObject({ name: "AppError" })
    }
  }
  expect(reached).toBe(0)
})

it("follows five redirects, but not a sixth", async () => {
  routes["/hop"] = (request, response) => {
    const left = Number(new URL(request.url ?? "", "http://x").searchParams.get("left"))
    if (left === 0) response.end("there")
    else response.writeHead(302, { location: `hop?left=${left - 1}#part` }).end()
  }
  const answer = await get(here("/hop?left=5"))
  expect(answer).toMatchObject({ url: here("/hop?left=0"), status: 200 })
  await expect(get(here("/hop?left=6"))).rejects.toMatchObject({ code: "unprocessable" })
  const keyed = await get(here("/hop?left=1"), { headers: { "x-key": "secret" } })
  expect(keyed.status).toBe(302)
})

it.each([
  "file:///etc/passwd",
  "ftp://example.com/",
  "gopher://example.com/",
  "javascript:alert(1)",
  "data:text/html,x",
  "/relative",
  "example.com",
  "http://user@example.com/",
  "http://:word@example.com/",
  "http://example.com:22/",
  "http://example.com:25/",
  "http://example.com:6667/",
  `http://example.com/${"x".repeat(5000)}`,
])("refuses %s", async (url) => {
  answers = { "example.com": [["127.0.0.1"]] }
  await expect(get(url)).rejects.toMatchObject({ code: "validation" })
})

// Catches a server that fills the memory with a small compressed response, or keeps the box waiting.
it("limits the unpacked size and the time, and stops on a signal", async () => {
  const bomb = Buffer.alloc(50_000_000)
  const compressed = { gzip: gzipSync(bomb), br: brotliCompressSync(bomb) }
  for (const [encoding, bytes] of Object.entries(compressed)) {
    routes["/bomb"] = (_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes)
    await expect(get(here("/bomb"))).rejects.toThrow("larger than 5 MB")
  }
  routes["/endless"] = (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    }
    response.on("drain", more)
    more()
  }
  await expect(get(here("/endless"))).rejects.toThrow("larger than 5 MB")
  routes["/silent"] = () => undefined
  await expect(get(here("/silent"), { limitMs: 200 })).rejects.toThrow("longer than 0.2 s")
  routes["/drip"] = (_request, response) => response.write("x")
  await expect(get(here("/drip"), { limitMs: 200 })).rejects.toThrow("longer than 0.2 s")
  const stop = new AbortController()
  const stopped = get(here("/silent"), { signal: stop.signal })
  stop.abort(new Error("stopped"))
  await expect(stopped).rejects.toThrow("stopped")
})

it("rejects unwanted types, and sends neither cookies nor names", async () => {
  const seen: (string | undefined)[] = []
  routes["/cookie"] = (request, response) => {
    seen.push(request.headers.cookie, request.headers.authorization, request.headers.referer)
    response.writeHead(302, { location: "/page", "set-cookie": "a=b" }).end()
  }
  routes["/page"] = (request, response) => {
    seen.push(request.headers.cookie, request.headers.referer)
    response.writeHead(200, { "content-type": "Image/PNG; x=y" }).end("png")
  }
  const accepts = (type: string) => type.startsWith("text/")
  await expect(get(here("/cookie"), { accepts })).rejects.toThrow("image/png")
  expect(seen).toEqual(Array.from({ length: 5 }, () => undefined))
})

it("connects to an address that the owner set, but follows no redirect from there", async () => {
  routes["/own"] = (_request, response) => response.writeHead(302, { location: "/" }).end()
  await using own = createSafeFetch(openOutbound())
  const signal = new AbortController().signal
  const answer = await own.fetch({ purpose: "web-search", url: here("/own"), signal, ownersAddress: true })
  expect(answer.status).toBe(302)
  await expect(own.fetch({ purpose: "web-search", url: here("/own"), signal })).rejects.toMatchObject({
    code: "forbidden_address",
  })
})
