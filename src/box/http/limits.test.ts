import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTestBox, type TestBox } from "../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(box.url + path, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json", ...headers },
    body,
  })

describe("Bodies", () => {
  it.each([
    ["{", 400, "invalid_json"],
    ["", 400, "invalid_json"],
    ["[]", 400, "validation"],
    ["null", 400, "validation"],
    ['"text"', 400, "validation"],
  ])("%s is %i %s", async (body, status, code) => {
    const answer = await post("/api/public/vectors", body)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ code, error: expect.any(String) as string })
  })

  // Catches a limit that differs from the one in the message.
  it.each([
    ["/api/public/vectors", 10 * 1024 * 1024, "10 MB"],
    ["/api/public/support/tickets", 20_000_000, "20 MB"],
  ])("of %s over %i bytes return 413 with the limit", async (path, bytes, limit) => {
    const answer = await post(path, JSON.stringify({ name: "x".repeat(bytes) }))
    expect(answer.status).toBe(413)
    const error = expect.stringContaining(`larger than ${limit}.`) as string
    expect(await answer.json()).toMatchObject({ code: "payload_too_large", error })
  })

  // Catches memory spent on a body before the caller is known.
  it("from unknown callers aren't read", async () => {
    const answer = await post("/api/public/vectors", "{".repeat(1000), { "x-api-key": "box_nobody" })
    expect(answer.status).toBe(401)
  })

  it("may contain unknown fields", async () => {
    const answer = await post(
      "/api/public/vectors",
      JSON.stringify({ name: "Known", unknown: { deep: [1] } }),
    )
    expect(answer.status).toBe(201)
    expect(JSON.stringify(await answer.json())).not.toContain("unknown")
  })
})

describe("Errors", () => {
  it("never contain a stack trace, a local path or SQL, in any format", async () => {
    const answers = await Promise.all([
      fetch(`${box.url}/api/nothing/here`, { headers: { "x-api-key": box.key } }),
      fetch(`${box.url}/api/public/vectors/%00`, { headers: { "x-api-key": box.key } }),
      fetch(`${box.url}/api/public/vectors/%E0%A4%A`, { headers: { "x-api-key": box.key } }),
      fetch(`${box.url}/api/public/chats?limit=1' OR 1=1`, { headers: { "x-api-key": box.key } }),
      fetch(`${box.url}/api/public/chats?search=a&search=b`, { headers: { "x-api-key": box.key } }),
      post("/api/v1/chat/completions", "{"),
      post("/api/ai/chat", "{}"),
    ])
    for (const answer of answers) {
      const text = await answer.text()
      expect(answer.status, text).toBeGreaterThanOrEqual(400)
      expect(answer.status, text).toBeLessThan(500)
      expect(text).not.toMatch(/\bat .*:\d+|node_modules|\/home|\/root|SELECT|sqlite/i)
      const { error } = JSON.parse(text) as { error: unknown }
      if (answer.url.includes("/api/v1/"))
        expect(error).toMatchObject({ message: expect.any(String) as string })
      else expect(error).toEqual(expect.any(String))
    }
  })

  it.each([
    "limit=0",
    "limit=201",
    "limit=1.5",
    "limit=",
    "limit=text",
    "offset=-1",
    "offset=1e3",
    "limit=1&limit=2",
  ])("?%s returns 400 with the parameter's name instead of being clamped", async (query) => {
    const answer = await fetch(`${box.url}/api/public/chats?${query}`, { headers: { "x-api-key": box.key } })
    expect(answer.status).toBe(400)
    const { details } = (await answer.json()) as { details: { field: string }[] }
    expect(details[0]?.field).toBe(query.split("=")[0])
  })
})

describe("Connections", () => {
  // Catches a raw request that ends the process, or an answer without the security headers.
  it("with malformed requests don't harm the box", async () => {
    const { hostname, port } = new URL(box.url)
    const attempts = [
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `GET / HTTP/1.1\r\nhost: ${"x".repeat(99_999)}\r\n\r\n`,
    ]
    for (const attempt of attempts) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.end(attempt))
        socket
          .on("error", () => undefined)
          .on("close", () => resolve())
          .resume()
      })
    }
    const health = await fetch(`${box.url}/api/health`)
    expect(health.status).toBe(200)
    expect(health.headers.get("x-content-type-options")).toBe("nosniff")
    expect(health.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(health.headers.get("x-powered-by")).toBeNull()
  })
})

describe("Clients that offer another protocol", () => {
  // Catches curl --http2 and Java's client being refused as broken WebSockets.
  it("are answered in HTTP/1.1", async () => {
    const { hostname, port } = new URL(box.url)
    const text = await new Promise<string>((resolve) => {
      let received = ""
      const offer =
        "connection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET /api/health HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${offer}\r\n`),
      )
      socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk))
      socket.on("close", () => resolve(received)).on("error", () => undefined)
    })
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each(["gzip", "deflate", "br", "zstd"])(
    "get an error when their body isn't %s as declared",
    async (encoding) => {
      const answer = await post("/api/public/vectors", '{"name":"x"}', { "content-encoding": encoding })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ code: "invalid_json" })
    },
  )
})
