import { createSocket } from "node:dgram"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createLlamaEngine } from "../../../engines/llama/llama-engine.ts"
import { ensureTestModel, testGpu } from "../../../engines/llama/testing/test-models.ts"
import { createDocumentReader } from "../../../parsers/process/document-reader.ts"
import { attacks } from "../../../testing/hostile/attacks.mjs"
import { attack, createHostileSpawn, type Target } from "../../../testing/hostile/hostile-child.ts"
import { createCalculate } from "../../../tools/calculate.ts"
import { testContext } from "../../../tools/testing/tool-context.ts"
import type { SpawnChild } from "../child.ts"
import { silentLogger } from "../../logging/logger.ts"
import { getSystemSandbox, type SystemSandbox } from "./system-sandbox.ts"

const secret = "the-secret-of-the-canary"
/** Return values of attacks that succeeded without reaching a listener. */
const gotThere = /connected|listening|registered|sent|started|loaded|ran|tcp/i

let directory: string
let target: Target
/** The target of attacks by UDP, because another process may use the same port for UDP. */
let udpPort: number
let arrived: string[]
const sinks = new DisposableStack()

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "hostile-")))
  const canary = join(directory, "canary.json")
  await writeFile(canary, JSON.stringify({ secret }))
  const database = join(directory, "casella.sqlite")
  using open = new DatabaseSync(database)
  open.exec(`create table secrets (text); insert into secrets values ('${secret}')`)
  await writeFile(join(directory, "document.md"), "# A document")
  arrived = []
  const server = createServer((socket) => {
    arrived.push("tcp")
    socket.destroy()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const packets = createSocket("udp4").on("message", (bytes) => arrived.push(`udp ${bytes.toString("hex")}`))
  packets.bind(0, "127.0.0.1")
  await once(packets, "listening")
  udpPort = packets.address().port
  const socket = join(directory, "socket")
  const local = createServer((connection) => {
    arrived.push("unix")
    connection.destroy()
  }).listen(socket)
  await once(local, "listening")
  sinks.defer(() => local.close())
  const outside = join(directory, "outside")
  await mkdir(outside)
  sinks.defer(() => server.close())
  sinks.defer(() => packets.close())
  target = { port, canary, database, socket, outside }
})
afterAll(async () => {
  sinks.dispose()
  await rm(directory, { recursive: true })
})

const limits = { idleMs: 600_000 }

/** Each kind of child, started by the part of the box that owns it and ready for untrusted input. */
const kinds: Record<string, (spawn: SpawnChild, stack: AsyncDisposableStack) => Promise<unknown>> = {
  async parser(spawn, stack) {
    const reader = stack.use(createDocumentReader({ spawn, logger: silentLogger, slots: 1, limits }))
    for await (const _ of reader.read({ path: join(directory, "document.md"), name: "document.md" }));
  },
  async "parser that reads pictures"(spawn, stack) {
    const ocrLanguages = join(directory, "languages")
    const reader = stack.use(createDocumentReader({ spawn, logger: silentLogger, ocrLanguages, limits }))
    for await (const _ of reader.read(
      { path: join(directory, "document.md"), name: "document.md" },
      { ocr: true },
    ));
  },
  calculator: (spawn, stack) =>
    Promise.resolve(stack.use(createCalculate(spawn)).run({ expression: "1 + 1" }, testContext())),
  async engine(spawn, stack) {
    const modelPath = ensureTestModel()
    const engine = stack.use(
      createLlamaEngine({ modelPath, contextSize: 512, spawn, gpu: testGpu, logger: silentLogger }),
    )
    const messages = [{ role: "user" as const, content: "Hello." }]
    for await (const _ of engine.generate({ messages, maxTokens: 1 }, new AbortController().signal));
  },
}

const programs = Object.entries(attacks).flatMap(([kind, each]) =>
  Object.keys(each).map((name) => ({ kind, name })),
)

// Catches a document, expression or model that compromises its process and gets further: through a thread, a realm, a module or handle with
// functions left in it, a file or socket that it wasn't given, a program, or a signal.
describe.each(Object.keys(kinds))("a hostile %s", (kind) => {
  const sandboxes: [string, SystemSandbox][] = [
    ["the process walls alone", { stands: false, reason: "other-system" }],
  ]
  if (getSystemSandbox().stands) sandboxes.push(["the system's wall as well", getSystemSandbox()])

  it.each(sandboxes)("is contained with %s", { timeout: 180_000 }, async (_name, sandbox) => {
    const through: string[] = []
    let pending = programs
    while (pending.length > 0) {
      await using stack = new AsyncDisposableStack()
      const { spawn, children } = createHostileSpawn(sandbox)
      await kinds[kind]?.(spawn, stack)
      const [child] = children
      if (!child) throw new Error("No child was started.")
      // an attack may end the child; the remaining attacks continue in the next child
      for (const [index, { kind: way, name }] of pending.entries()) {
        const before = arrived.length
        const outcome = await attack(child, way, name, way === "udp" ? { ...target, port: udpPort } : target)
        const got = "got" in outcome ? outcome.got : ""
        const appeared = await readdir(target.outside)
        for (const file of appeared) await rm(join(target.outside, file), { recursive: true })
        if (got.includes(secret) || gotThere.test(got) || arrived.length > before || appeared.length > 0)
          through.push(`${way}: ${name} → ${got} ${appeared.join(" ")}`)
        if ("ended" in outcome || index === pending.length - 1) {
          pending = pending.slice(index + 1)
          break
        }
      }
    }
    expect(through).toEqual([])
  })
})
