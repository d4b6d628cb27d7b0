import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { WebSocket } from "ws"
import { socketPath } from "../../shared/contract/socket.ts"
import { logsPath } from "../core/data-layout.ts"
import { openLogger } from "../core/logging/logger.ts"
import { runInBackground } from "../core/async-context.ts"
import { startModelServer } from "../testing/model-servers/model-server.ts"
import { startTestBox } from "../testing/test-box.ts"
import { createGuard } from "./guard.ts"
import { createApp, createHttpServer } from "./http-server.ts"

const anybody = { allowedHosts: () => [], openAddresses: () => [], allowedOrigins: () => [] }
const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

// Catches an answer, such as a refusal or a stream, that can't be found in the log.
test("every answer has a request id, from the caller or generated", async () => {
  await using model = await startModelServer(() => ({ text: "Yes." }))
  await using box = await startTestBox({ model: model.baseUrl })
  const question = { id: "chat", boxAddress: box.url, messages: [{ role: "user", content: "Is it?" }] }
  const json = { "x-api-key": box.key, "content-type": "application/json" }
  const requests: [string, RequestInit, number][] = [
    ["/api/health", {}, 200],
    ["/api/public/me", {}, 401],
    ["/api/nothing", {}, 404],
    ["/api/health", { headers: { origin: "https://app.example" } }, 403],
    ["/api/ai/chat", { method: "POST", headers: json, body: "{" }, 400],
    ["/api/ai/chat", { method: "POST", headers: json, body: JSON.stringify(question) }, 200],
  ]
  for (const [path, init, status] of requests) {
    const answer = await fetch(box.url + path, init)
    await answer.text()
    expect([answer.status, answer.headers.get("x-request-id")], path).toEqual([
      status,
      expect.stringMatching(made),
    ])
  }
  const idFor = async (given: string) =>
    (await fetch(`${box.url}/api/health`, { headers: { "x-request-id": given } })).headers.get("x-request-id")
  for (const given of ["a", "proxy-7.B_9", "x".repeat(64)]) expect(await idFor(given)).toBe(given)
  for (const given of ["", "a b", "a,b", '","level":"error', "x".repeat(65), "é"])
    expect(await idFor(given)).toMatch(made)
})

// Catches missing ids on sockets, whose answers don't pass through Express.
test("a WebSocket's answer and its refusal have a request id", async () => {
  await using box = await startTestBox()
  const open = (headers: Record<string, string>) =>
    new WebSocket(box.url.replace("http", "ws") + socketPath, {
      headers: { "x-request-id": "socket-1", ...headers },
    })
  const accepted = open({ "x-api-key": box.key })
  const [upgrade] = await once(accepted, "upgrade")
  accepted.terminate()
  const [, refusal] = await once(open({}), "unexpected-response")
  refusal.resume()
  expect([upgrade, refusal].map(({ headers }) => headers["x-request-id"])).toEqual(["socket-1", "socket-1"])
})

// Catches an error whose log line can't be assigned to its request, and a request id on unrelated work.
test("log lines contain the id of their own request, and no id for other work", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-ids-"))
  const logger = await openLogger(directory, { quiet: true })
  const waiting = Promise.withResolvers<void>()
  const app = createApp(() => createGuard({ port, ...anybody }), logger, [
    async (request) => {
      if (request.path === "/first") await waiting.promise
      else waiting.resolve()
      runInBackground(() => logger.info({}, "by itself"))
      throw new Error(request.path)
    },
  ])
  const server = createHttpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const ask = (name: string) =>
    fetch(`http://127.0.0.1:${port}/${name}`, { headers: { "x-request-id": `id-of-${name}` } })
  expect((await Promise.all([ask("first"), ask("second")])).map(({ status }) => status)).toEqual([500, 500])
  server.close()
  await logger[Symbol.asyncDispose]()
  const [file = ""] = await readdir(logsPath(directory))
  const lines = (await readFile(join(logsPath(directory), file), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { msg: string; requestId?: string; err?: { message: string } })
  const findLogged = (message: string) =>
    lines.flatMap(({ msg, err, requestId }) => (msg === message ? [[err?.message, requestId] as const] : []))
  expect(new Map(findLogged("Unexpected error in a request"))).toEqual(
    new Map([
      ["/first", "id-of-first"],
      ["/second", "id-of-second"],
    ]),
  )
  expect(findLogged("by itself")).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ])
  await rm(directory, { recursive: true })
})
