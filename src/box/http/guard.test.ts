import { request as httpRequest, type IncomingMessage } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { api } from "../../shared/contract/api.ts"
import type { Contract, Endpoint } from "../../shared/contract/endpoint.ts"
import { socketPath } from "../../shared/contract/socket.ts"
import { arrivalHeader, forwardedHeader } from "./box-token.ts"
import { createGuard } from "./guard.ts"
import { startTestBox, type TestBox } from "../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const endpoints: [string, Endpoint][] = Object.entries<Contract>(api).flatMap(([feature, contract]) =>
  Object.entries(contract).map(([name, endpoint]): [string, Endpoint] => [`${feature}.${name}`, endpoint]),
)
const guarded = endpoints.filter(([, endpoint]) => endpoint.access !== "public")

type Headers = Record<string, string | string[]>

/** Sends a bare request, because fetch doesn't allow these headers. */
function send(method: string, path: string, headers: Headers, body?: string) {
  const { hostname, port } = new URL(box.url)
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const outgoing = httpRequest(
        { hostname, port, method, path, headers, setHost: !("host" in headers) },
        (answer) => {
          let text = ""
          answer.setEncoding("utf8")
          answer.on("data", (chunk: string) => (text += chunk))
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        },
      )
      outgoing.on("error", reject)
      outgoing.end(body)
    },
  )
}

const call = (endpoint: Endpoint, headers: Headers) =>
  send(endpoint.method.toUpperCase(), endpoint.path.replace(/:\w+/g, "x"), headers)

describe("Every route", () => {
  // Catches a check of `Host` only, although another host in the request line takes precedence.
  it("refuses a request line that names another host than the Host header", async () => {
    const { host } = new URL(box.url)
    const getStatus = async (path: string) => (await send("GET", path, { host, "x-api-key": box.key })).status
    expect(await getStatus(`http://${host}/api/public/me`)).toBe(200)
    for (const target of ["http://evil.example", `http://${host}@evil.example`, `http://evil.example:80`])
      expect(await getStatus(`${target}/api/public/me`), target).toBe(403)
  })

  // Catches DNS rebinding through a route that was registered before the guard.
  it.each(endpoints)("%s refuses a foreign Host before anything else", async (_name, endpoint) => {
    const { port } = new URL(box.url)
    for (const host of [
      `evil.example:${port}`,
      "evil.example",
      `127.0.0.1.evil.example:${port}`,
      "127.0.0.1:1",
      "",
    ]) {
      const answer = await call(endpoint, { host, "x-api-key": box.key })
      expect([400, 403], `${host} → ${answer.text}`).toContain(answer.status)
    }
  })

  // Catches any web page calling the box with the user's credentials.
  it.each(endpoints)("%s refuses a foreign Origin and sends it no CORS headers", async (_name, endpoint) => {
    for (const origin of ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"]) {
      const answer = await call(endpoint, { origin, "x-api-key": box.key })
      expect(answer.status, origin).toBe(403)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([])
    }
  })

  // Catches a route missed by the guard, or a check for a key's presence instead of its value.
  it.each(guarded)("%s refuses every credential that isn't a valid key", async (_name, endpoint) => {
    const { key } = box
    const session = `casella_session_${new URL(box.url).port}`
    const carriers: Headers[] = [
      {},
      { "x-api-key": "" },
      { "x-api-key": key.slice(0, -1) },
      { "x-api-key": `${key}x` },
      { "x-api-key": `${key},${key}` },
      { "x-api-key": [key, key] },
      { "x-api-key": [key, "box_"] },
      { "x-api-key": `box_${"A".repeat(43)}` },
      { "x-api-key": "x".repeat(300) },
      { "x-api-key": "undefined" },
      { "api-key": key },
      { cookie: `${session}=${key}` },
      { cookie: `${session}=` },
      { "x-organization-id": "anything" },
      ...(/^\/api\/(v1\/|mcp$)/.test(endpoint.path)
        ? [
            { authorization: `Bearer ${key}x` },
            { authorization: "Bearer" },
            { authorization: `Basic ${key}` },
          ]
        : [{ authorization: `Bearer ${key}` }]),
    ]
    for (const headers of carriers) {
      const answer = await call(endpoint, headers)
      expect(answer.status, JSON.stringify(headers)).toBe(401)
    }
  })

  // Catches an error that makes a user with a truncated key look for a second header.
  it("reports a truncated key as invalid, and asks for exactly one key when two are sent", async () => {
    const said = async (key: string | string[]) =>
      (await send("GET", "/api/public/me", { "x-api-key": key })).text
    expect(await said(box.key.slice(0, -1))).toContain("This API key isn't valid.")
    expect(await said([box.key, box.key])).toContain("Send exactly one API key")
    expect(await said("")).toContain("Send exactly one API key")
  })

  // Catches state changed by an HTML form or a text/plain request, which browsers send without asking.
  it.each(guarded.filter(([, endpoint]) => "body" in endpoint))(
    "%s accepts only JSON",
    async (_name, endpoint) => {
      const path = endpoint.path.replace(/:\w+/g, "x")
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
      ]) {
        const headers = { "content-type": type, "x-api-key": box.key }
        expect((await send(endpoint.method.toUpperCase(), path, headers, "{}")).status).toBe(415)
      }
    },
  )
})

describe("WebSocket", () => {
  const connect = (headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, { headers })
      socket.on("open", () => {
        socket.close()
        resolve(101)
      })
      socket.on("unexpected-response", (_request, answer) => resolve(answer.statusCode ?? 0))
      socket.on("error", () => undefined)
    })

  it("opens with a key and refuses a foreign host, a foreign origin and a wrong key", async () => {
    expect(await connect({ "x-api-key": box.key })).toBe(101)
    expect(await connect({})).toBe(401)
    expect(await connect({ "x-api-key": `${box.key}x` })).toBe(401)
    expect(await connect({ "x-api-key": box.key, origin: "https://evil.example" })).toBe(403)
    expect(await connect({ "x-api-key": box.key, host: "evil.example" })).toBe(403)
  })
})

describe("Allowed origins", () => {
  // Catches CORS that is opened wider than the owner configured, or not at all.
  it("get CORS headers and a preflight answer; others don't", async () => {
    await using open = await startTestBox({ allowedOrigins: ["https://app.example"] })
    const preflight = {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    }
    const answer = await fetch(`${open.url}/api/public/vectors`, preflight)
    expect(answer.status).toBe(204)
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example")
    const other = await fetch(`${open.url}/api/health`, { headers: { origin: "https://app.example.evil" } })
    expect(other.status).toBe(403)
  })
})

// Catches a page at `localhost`, where another user's server on [::1] could answer instead and read everything it stores.
// Catches a second Host header: Node keeps the first, and a proxy in front may have checked the other.
it("refuses a second Host header", () => {
  const { check } = createGuard({
    port: 8484,
    allowedHosts: () => [],
    openAddresses: () => [],
    allowedOrigins: () => [],
  })
  const host = "127.0.0.1:8484"
  const request = (...rawHeaders: string[]) =>
    ({ headers: { host }, rawHeaders, socket: { localAddress: "127.0.0.1" } }) as unknown as IncomingMessage
  expect(check(request("Host", host))).toBeNull()
  for (const second of [host, "evil.example"])
    expect(() => check(request("Host", host, "HOST", second))).toThrow("doesn't answer to this host name")
})

// Catches a session that a request of another site can use: a link, a form, or an image on a page.
it("takes only requests of the box's own page, and visits by address, as the page's", () => {
  const { isOwnPage } = createGuard({
    port: 8484,
    allowedHosts: () => [],
    openAddresses: () => [],
    allowedOrigins: () => ["https://allowed.example"],
    publicUrl: "https://box.example",
  })
  const host = "127.0.0.1:8484"
  const own = `http://${host}`
  const isOwn = (method: string, headers: Headers) =>
    isOwnPage({ method, headers: { host, ...headers } } as IncomingMessage)
  expect(isOwn("POST", { origin: own, "sec-fetch-site": "same-origin" })).toBe(true)
  expect(isOwn("POST", { origin: "https://box.example", "sec-fetch-site": "same-origin" })).toBe(true)
  expect(isOwn("POST", { origin: own })).toBe(true)
  expect(isOwn("GET", { "sec-fetch-site": "none" })).toBe(true)
  expect(isOwn("GET", {})).toBe(true)
  for (const site of ["cross-site", "same-site", "anything"])
    for (const method of ["GET", "POST"]) expect(isOwn(method, { "sec-fetch-site": site }), site).toBe(false)
  expect(isOwn("POST", { "sec-fetch-site": "none" })).toBe(false)
  expect(isOwn("POST", {})).toBe(false)
  for (const origin of ["https://evil.example", "https://allowed.example", "http://127.0.0.1:1", "null"]) {
    expect(isOwn("POST", { origin }), origin).toBe(false)
    expect(isOwn("POST", { origin, "sec-fetch-site": "same-origin" }), origin).toBe(false)
  }
})

describe("A page requested as localhost", () => {
  it.each(["/", "/index.html", "/widget", "/settings?a=b"])("%s is redirected to 127.0.0.1", async (path) => {
    const { port } = new URL(box.url)
    for (const name of ["localhost", "LocalHost"]) {
      const answer = await send("GET", path, { host: `${name}:${port}` })
      expect([answer.status, answer.headers.location]).toEqual([307, box.url + path])
    }
    expect((await send("GET", path, {})).status).not.toBe(307)
  })

  it("doesn't redirect API requests", async () => {
    const { port } = new URL(box.url)
    const headers = { host: `localhost:${port}`, "x-api-key": box.key }
    expect((await send("GET", "/api/public/me", headers)).status).toBe(200)
  })
})

// Catches another computer, or a page there, that bypasses the host list with a loopback name.
describe("Loopback names", () => {
  const token = "token of the standby"
  const own = ["localhost:8484", "127.0.0.1:8484", "[::1]:8484"]
  const guard = (allowedHosts: string[], openAddresses: string[]) => {
    const { check } = createGuard({
      port: 8484,
      allowedHosts: () => allowedHosts,
      openAddresses: () => openAddresses,
      allowedOrigins: () => [],
      forwardingToken: token,
    })
    return (localAddress: string | undefined, host: string, headers: Headers = {}) => {
      const request = { headers: { host, ...headers }, rawHeaders: ["Host", host], socket: { localAddress } }
      return check(request as IncomingMessage)
    }
  }
  const refused = "doesn't answer to this host name"

  it("are valid only at loopback addresses, even when network access is on", () => {
    for (const open of [[], ["192.168.1.4:8484"]]) {
      const check = guard(["box.lan"], open)
      for (const here of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
        for (const host of [...own, "box.lan:8484"]) expect(check(here, host), `${here} ${host}`).toBeNull()
      for (const listenAddress of ["192.168.1.4", "::ffff:192.168.1.4", "172.17.0.2", "fd00::1", undefined]) {
        for (const host of own)
          expect(() => check(listenAddress, host), `${listenAddress} ${host}`).toThrow(refused)
        expect(check(listenAddress, "box.lan:8484")).toBeNull()
      }
      const opened = () => check("192.168.1.4", "192.168.1.4:8484")
      if (open.length > 0) expect(opened()).toBeNull()
      else expect(opened).toThrow(refused)
    }
  })

  it("are valid elsewhere if configured, as for a container's published port", () => {
    const check = guard(["localhost"], [])
    expect(check("172.17.0.2", "localhost:8484")).toBeNull()
    expect(() => check("172.17.0.2", "127.0.0.1:8484")).toThrow(refused)
  })

  it("are valid through a standby server if the client connected to it on its own computer", () => {
    const check = guard([], [])
    const passedOn = (arrival: string, by = token) => ({
      [forwardedHeader]: by,
      [arrivalHeader]: arrival,
    })
    expect(check("10.0.0.1", "127.0.0.1:8484", passedOn("127.0.0.1"))).toBeNull()
    for (const headers of [
      passedOn("10.0.0.2"),
      passedOn("127.0.0.1", "made up"),
      { [forwardedHeader]: token },
    ])
      expect(() => check("10.0.0.1", "127.0.0.1:8484", headers)).toThrow(refused)
    // The standby server is on this computer, but its client isn't.
    expect(() => check("127.0.0.1", "127.0.0.1:8484", passedOn("10.0.0.2"))).toThrow(refused)
  })
})
