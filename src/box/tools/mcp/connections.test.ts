import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CallToolResult } from "@modelcontextprotocol/client"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import { openOutbound } from "../../core/outbound/testing/open-outbound.ts"
import { createConnections } from "./connections.ts"
import type { Connection } from "./connect.ts"
import { createOAuthSession } from "./oauth-session.ts"
import { NeedsSignIn, type Server, createServerFetches } from "./server.ts"
import { everything, filesystem, scriptedServer, startEverything, tool } from "./testing/mcp-servers.ts"
import { toToolResult } from "./tool-result.ts"

const resources = new AsyncDisposableStack()
const outbound = resources.use(openOutbound())
const fetches = resources.use(createServerFetches(outbound))
const logger = pino({ level: "silent" })
const connections = resources.use(createConnections({ fetches, outbound, logger }))
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-mcp-"))
  resources.defer(() => rm(directory, { recursive: true, force: true }))
})
afterAll(() => resources.disposeAsync())

const auth = createOAuthSession({
  redirectUrl: "http://127.0.0.1/",
  scope: null,
  parameters: {},
  read: () => Promise.resolve({}),
  change: () => Promise.resolve(),
  signIn: null,
})
const server = (id: string, target: ServerTarget, env: Record<string, string> = {}): Server => ({
  id,
  key: "mcp_x",
  target,
  token: null,
  env,
  auth,
})
const { signal } = new AbortController()
const use = <T>(to: Server, task: (connection: Connection) => Promise<T>) => connections.use(to, signal, task)
const call = (to: Server, name: string, args: Record<string, unknown> = {}) =>
  use(to, (connection) => connection.call(name, args, signal))
const text = (result: CallToolResult) => String(toToolResult(result).content)
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("Real servers", () => {
  test("work as local processes, with only the named environment variables", async () => {
    vi.stubEnv("CASELLA_CANARY", "secret")
    const local = server("everything", everything, { NAMED: "yes" })
    const { definitions } = await use(local, (connection) => connection.offer(signal))
    expect(definitions.map(({ functionName }) => functionName)).toContain("mcp_x_echo")
    expect(text(await call(local, "echo", { message: "ciao" }))).toBe("Echo: ciao")
    const environment = text(await call(local, "get-env"))
    expect(environment).toContain("NAMED")
    expect(environment).not.toContain("CASELLA_CANARY")
    expect(toToolResult(await call(local, "get-tiny-image")).parts).toMatchObject([
      { type: "file", mediaType: "image/png" },
    ])
    expect(toToolResult(await call(local, "echo", {})).content).toHaveProperty("error")
  })

  test("work with files", async () => {
    await writeFile(join(directory, "note.txt"), "Hello from a file")
    const files = server("files", filesystem(directory))
    expect(text(await call(files, "read_text_file", { path: join(directory, "note.txt") }))).toBe(
      "Hello from a file",
    )
    const refused = toToolResult(await call(files, "read_text_file", { path: "/etc/hostname" })).content
    expect(JSON.stringify(refused)).toContain("outside allowed directories")
  })

  test.each(["streamableHttp", "sse"] as const)("work over %s", async (kind) => {
    await using http = await startEverything(kind)
    const remote = server(kind, { kind: "http", url: http.url })
    expect(text(await call(remote, "echo", { message: "ciao" }))).toBe("Echo: ciao")
    await connections.end(kind)
  })
})

describe("A server that misbehaves", () => {
  // Catches an MCP server that takes down the box or an answer with it.
  test.each(["crash", "chatter", "flood"])(
    "by %s fails its call, and works again afterwards",
    async (name) => {
      const scripted = scriptedServer(directory)
      await scripted.offer([tool(name)])
      const bad = server(`bad-${name}`, scripted.target)
      await expect(call(bad, name)).rejects.toMatchObject({ code: "unavailable" })
      expect(text(await call(bad, "echo", { text: "again" }))).toContain("again")
      await connections.end(bad.id)
    },
  )

  test("isn't restarted endlessly", async () => {
    const failing = server("failing", {
      kind: "command",
      command: process.execPath,
      args: ["-e", "console.error('no database')"],
    })
    for (let time = 0; time < 3; time++) await expect(call(failing, "x")).rejects.toThrow("no database")
    await expect(call(failing, "x")).rejects.toThrow("several times in a row")
  })

  test("by sending a description of 50 MB is disconnected", async () => {
    const scripted = scriptedServer(directory)
    await scripted.offer([tool("a", "x".repeat(50_000_000))])
    const huge = server("huge", scripted.target)
    await expect(use(huge, (connection) => connection.offer(signal))).rejects.toMatchObject({
      code: "unavailable",
    })
  })

  test("by not exiting is killed", async () => {
    const scripted = scriptedServer(directory)
    const stubborn = server("stubborn", scripted.target)
    const pid = Number(text(await call(stubborn, "stay")))
    expect(isAlive(pid)).toBe(true)
    await connections.end("stubborn")
    expect(isAlive(pid)).toBe(false)
  })
})

describe("Connections", () => {
  // Catches processes that stay when they are no longer needed.
  test("end when idle, and all end when their owner is disposed of", async () => {
    const scripted = scriptedServer(directory)
    const own = createConnections({ fetches, outbound, logger, idleMs: 0 })
    const ended = await own.use(server("idle", scripted.target), signal, (connection) =>
      Promise.resolve({ closed: connection.closed }),
    )
    await ended.closed
    await own[Symbol.asyncDispose]()
  })

  test("stop waiting when the answer is stopped", async () => {
    const stop = new AbortController()
    const scripted = scriptedServer(directory)
    const slow = server("slow", scripted.target)
    const waiting = connections.use(slow, stop.signal, (connection) => {
      const calling = connection.call("silent", {}, stop.signal)
      stop.abort(new Error("stopped"))
      return calling
    })
    await expect(waiting).rejects.toThrow()
  })
})

describe("Requests", () => {
  // Catches a remote server that redirects the box into its own network, for tokens or anything else.
  test("stay on the public internet, except for the address that an owner entered", async () => {
    const fetch = fetches.of("https://example.com/mcp", signal)
    const inside = fetch("https://127.0.0.1:9/token", { method: "POST", body: "x" })
    await expect(inside).rejects.toThrow()
    await expect(fetch("http://example.com/token")).rejects.toMatchObject({ code: "forbidden" })
    const local = fetches.of("http://127.0.0.1:9/mcp", signal)
    await expect(local("http://127.0.0.1:10/")).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      use(server("inside", { kind: "http", url: "https://169.254.169.254/mcp" }), () => Promise.resolve()),
    ).rejects.toMatchObject({ code: "unavailable" })
  })

  test("to a missing program say that it is missing", async () => {
    const missing = server("missing", { kind: "command", command: "casella-no-such-program", args: [] })
    await expect(call(missing, "x")).rejects.toThrow("This program isn't on this computer.")
    expect(new NeedsSignIn().name).toBe("NeedsSignIn")
  })
})
