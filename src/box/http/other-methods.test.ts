import { afterAll, beforeAll, expect, test } from "vitest"
import { api } from "../../shared/contract/api.ts"
import type { Contract } from "../../shared/contract/endpoint.ts"
import { mcpPath } from "../../shared/contract/mcp-server.ts"
import { startTestBox, type TestBox } from "../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const endpoints = Object.values<Contract>(api).flatMap((contract) => Object.values(contract))
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
const fits = (path: string, address: string) =>
  new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`).test(address)

// Catches a wrong method that is reported as an unknown address, or that has an effect.
test("every path refuses unsupported methods from any caller, and lists the supported ones", async () => {
  for (const address of new Set(endpoints.map(({ path }) => path.replaceAll(/:\w+/g, "x")))) {
    const has = new Set(
      endpoints.filter(({ path }) => fits(path, address)).map(({ method }) => method.toUpperCase()),
    )
    if (has.has("GET")) has.add("HEAD")
    const allowed = [...has].toSorted().join(", ")
    for (const method of methods.filter((name) => !has.has(name))) {
      for (const headers of [{}, { "x-api-key": box.key }]) {
        const answer = await fetch(box.url + address, { method, headers })
        expect([answer.status, answer.headers.get("allow")], `${method} ${address}`).toEqual([405, allowed])
        const body = await answer.text()
        if (method === "HEAD") continue
        expect(body, address).toContain("method_not_allowed")
        expect(body.startsWith(getEnvelope(address)), address).toBe(true)
      }
    }
    const options = await fetch(box.url + address, { method: "OPTIONS" })
    expect(options.headers.get("allow")?.split(", ").toSorted().join(", "), address).toBe(allowed)
    expect(options.headers.get("access-control-allow-origin")).toBeNull()
  }
})

// Catches the WebSocket's address, which isn't an endpoint, reported as unknown.
test("the WebSocket's address reports what it accepts", async () => {
  const status = async (method: string) => {
    const answer = await fetch(`${box.url}/api/public/ws`, { method, headers: { "x-api-key": box.key } })
    return [answer.status, answer.headers.get("allow")]
  }
  expect(await status("POST")).toEqual([405, "GET, HEAD"])
  expect(await status("DELETE")).toEqual([405, "GET, HEAD"])
  expect(await status("GET")).toEqual([426, "GET, HEAD"])
})

// Catches a web page where a script expects JSON.
test("unknown addresses under /api return 404 as JSON, with or without a key", async () => {
  const addresses =
    "/api /api/ /api/x /api/public /api/public/ /api/v1 /api/v1/x /api/ai/chat/a/b /api/public/chats/a/b"
  for (const address of addresses.split(" ")) {
    for (const headers of [{}, { "x-api-key": box.key }, { "x-api-key": "wrong" }]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await fetch(box.url + address, { method, headers })
        expect(answer.status, `${method} ${address}`).toBe(404)
        expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
        expect(JSON.stringify(await answer.json())).toContain("not_found")
      }
    }
  }
})

// Catches foreign web pages and rebound names that can find out which paths exist.
test("host and origin are checked first", async () => {
  for (const headers of [
    { origin: "http://evil.example" },
    { "sec-fetch-site": "cross-site", origin: "null" },
  ]) {
    const answer = await fetch(`${box.url}/api/public/chats`, { method: "PUT", headers })
    expect([answer.status, answer.headers.get("allow")]).toEqual([403, null])
  }
})

/** Returns the first characters of a path's errors. */
function getEnvelope(path: string): string {
  if (path === mcpPath) return '{"jsonrpc":"2.0"'
  if (path.startsWith("/api/v1/messages")) return '{"type":"error"'
  return path.startsWith("/api/v1/") ? '{"error":{' : '{"error":"'
}
