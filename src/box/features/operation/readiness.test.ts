import { rename } from "node:fs/promises"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, expect, test } from "vitest"
import type { Readiness } from "../../../shared/contract/operation.ts"
import { startModelServer } from "../../testing/model-servers/model-server.ts"
import { mountSmallDisk } from "../../testing/disk.ts"
import { startTestBox } from "../../testing/test-box.ts"
import { createReadiness, type ReadinessDeps } from "./readiness.ts"

const disk = await mountSmallDisk("8m")
afterAll(() => disk[Symbol.asyncDispose]())

const noModels = { chat: null, embedding: null, rerank: null }
function getReadiness(changes: Partial<ReadinessDeps> = {}, times?: Parameters<typeof createReadiness>[1]) {
  return createReadiness(
    {
      dataDir: disk.path,
      dataDirectory: { requireIntact: () => undefined },
      storesAnswer: () => Promise.resolve(true),
      askDatabase: () => Promise.resolve(),
      models: () => noModels,
      haveModelsStarted: () => true,
      stopping: new AbortController().signal,
      ...changes,
    },
    times,
  )
}

const ask = async (url: string) => {
  const answer = await fetch(`${url}/api/ready`)
  return { status: answer.status, body: (await answer.json()) as Readiness }
}

// Catches a server that is never ready because no model was chosen.
test("a working server is ready, and reports that no model is chosen", async () => {
  await using box = await startTestBox()
  expect(await ask(box.url)).toEqual({
    status: 200,
    body: {
      status: "ready",
      checks: {
        database: { ok: true },
        storage: { ok: true },
        model: { ok: true, reason: { code: "model_none", message: "No model is chosen." } },
      },
    },
  })
})

// Catches traffic that is sent to a server that can't store anything, and a path that is revealed to anyone.
test("a server whose data directory was moved is unready", { tags: "linux" }, async () => {
  await using box = await startTestBox()
  const otherDirectory = `${box.dataDir}-elsewhere`
  await rename(box.dataDir, otherDirectory)
  try {
    const { status, body } = await ask(box.url)
    expect([status, body.status, body.checks.storage.reason?.code]).toEqual([503, "unready", "storage_lost"])
    expect(JSON.stringify(body)).not.toContain(box.dataDir)
    expect((await fetch(`${box.url}/api/health`)).status).toBe(200)
  } finally {
    await rename(otherDirectory, box.dataDir)
  }
})

// Catches a stopping server that still reports that it is ready on existing connections.
test("a stopping server is unready on existing connections", async () => {
  await using box = await startTestBox()
  const { hostname, port, host } = new URL(box.url)
  const socket = connect(Number(port), hostname)
  const answered = text(socket)
  const reached = Promise.withResolvers<void>()
  socket.write(`GET /api/ready HTTP/1.1\r\nhost: ${host}\r\n\r\nGET /api/ready HTTP/1.1\r\n`)
  socket.once("data", () => reached.resolve())
  await reached.promise
  const stopped = box.box[Symbol.asyncDispose]()
  socket.write(`host: ${host}\r\n\r\n`)
  const answers = await answered
  await stopped
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 503"])
  expect(answers).toContain('"code":"stopping"')
})

// Catches a full disk that is noticed only by the first write.
test("a full disk and a read-only disk are reported", { tags: "mount" }, async () => {
  const storage = async () => (await getReadiness().read()).checks.storage
  expect(await storage()).toEqual({ ok: true })
  disk.fill()
  expect((await storage()).reason?.code).toBe("disk_full")
  disk.makeRoom()
  disk.setReadOnly(true)
  expect((await storage()).reason?.code).toBe("storage_unwritable")
  disk.setReadOnly(false)
})

// Catches a question that is sent to a server whose model isn't loaded yet, or never will be.
test("a loading or failed model isn't ready; an idle one is", async () => {
  const state = { id: "m", kind: "local", contextSize: 1 } as const
  const readinessIn = async (status: "idle" | "loading" | "ready" | "failed", haveStarted = true) => {
    const embedding = { ...state, status }
    const models = () => ({ ...noModels, embedding })
    const { checks } = await getReadiness({ models, haveModelsStarted: () => haveStarted }).read()
    return checks.model.reason?.code ?? checks.model.ok
  }
  expect(await readinessIn("idle", false)).toBe("model_starting")
  expect(await readinessIn("loading")).toBe("model_loading")
  expect(await readinessIn("ready")).toBe(true)
  expect(await readinessIn("idle")).toBe(true)
  expect(await readinessIn("failed")).toBe("model_failed")
})

// Catches model roles that exist but are unknown to readiness.
test("a server whose model is on a model server is ready", async () => {
  await using server = await startModelServer(() => ({}))
  await using box = await startTestBox({ model: `${server.baseUrl}#test` })
  await expect.poll(async () => (await ask(box.url)).body.checks.model).toEqual({ ok: true })
})

// Catches a probe with which anyone can keep the database busy.
test("many requests at once, or within a second, cause one check", async () => {
  let [checkCount, time] = [0, 0]
  const readiness = getReadiness({ askDatabase: async () => checkCount++ }, { now: () => time })
  await Promise.all(Array.from({ length: 50 }, () => readiness.read()))
  time = 999
  await readiness.read()
  expect(checkCount).toBe(1)
  time = 1_000
  await readiness.read()
  expect(checkCount).toBe(2)
})

// Catches a probe that hangs with its database and uses one more connection each time.
test("a database that doesn't respond is reported, and queried once", async () => {
  let [checkCount, time] = [0, 0]
  const askDatabase = () => {
    checkCount++
    return new Promise(() => undefined)
  }
  const readiness = getReadiness({ askDatabase }, { now: () => (time += 1_000), maxWaitMs: 1 })
  for (let round = 0; round < 2; round++)
    expect((await readiness.read()).checks.database.reason?.code).toBe("database_silent")
  expect(checkCount).toBe(1)
})

// Catches the original error message, with server names, that is shown to anyone.
test("a failing database is reported without its error message", async () => {
  const askDatabase = () => Promise.reject(new Error("no route to db.example"))
  const readings = await getReadiness({ askDatabase }).read()
  expect(readings.checks.database.reason?.code).toBe("database_refused")
  expect(JSON.stringify(readings)).not.toContain("db.example")
})
