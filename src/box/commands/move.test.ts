import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { createClient } from "../../shared/client/http-client.ts"
import { startTestObjectStore, type TestObjectStore } from "../../shared/testing/test-object-store.ts"
import { startRelay, startTestPostgres, type TestPostgres } from "../../shared/testing/test-postgres.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"
import { startCommandWith, startBoxProcess } from "../testing/box-process.ts"

const postgres = { tags: "postgresql", timeout: 120_000 }

let server: TestPostgres
let store: TestObjectStore
let directory: string
let dataDir: string
beforeAll(async () => {
  server = startTestPostgres()
  store = await startTestObjectStore()
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-move-"))
  dataDir = join(directory, "data")
  const box = await startBoxProcess(dataDir)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  const { id } = (await client.folders.create({ body: { name: "Notes" } })).vector
  await client.files.upload({ params: { id }, file: new Blob(["Penguins"]), fileName: "birds.txt" })
  await box.stop()
})
afterEach(() => rm(directory, { recursive: true }))

/** Starts a move of the data directory. */
function begin(...flags: string[]) {
  const child = startCommandWith(store.variables("move"), "move", "--data", dataDir, ...flags)
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text))
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }))
  return { ended, stop: () => child.kill("SIGTERM") }
}

const stopped = { code: 2, said: "The move was stopped. Run the same command again to continue.\n" }

// Catches a move that ignores a stop signal for more than a minute because the server is silent.
test("stops a move on a signal, even if the server is silent, and resumes it later", postgres, async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  const blocking = new Client({ connectionString: url })
  await blocking.connect()
  await blocking.query("BEGIN; SELECT pg_advisory_xact_lock(8485)")
  const observer = new Client({ connectionString: url }) // within a transaction, the server's view of other sessions doesn't change
  await observer.connect()
  const waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 8485 AND NOT granted"
  for (const signals of [1, 2]) {
    const move = begin("--to", relay.url)
    await waitFor(async () => expect((await observer.query(waiting)).rowCount).toBe(1))
    relay.isClosed = true
    relay.silence()
    for (let sent = 0; sent < signals; sent++) {
      move.stop()
      await waitFor(async () => expect((await observer.query("SELECT")).rowCount).toBe(1))
    }
    expect(await move.ended).toEqual(stopped)
    relay.cut()
    relay.isClosed = false
    await observer.query(waiting.replace("SELECT", "SELECT pg_terminate_backend(pid)")) // the session notices nothing while it waits
    await waitFor(async () => expect((await observer.query(waiting)).rowCount).toBe(0))
  }
  await blocking.end()
  await observer.end()
  const secondRun = await begin("--to", relay.url).ended
  expect(secondRun).toEqual({ code: 0, said: expect.stringContaining("start with --database-url") as string })
})

// Catches a move of rows and files that was stopped between the two and is refused when it is run again as advised.
test("resumes a stopped move of rows and files with the files", postgres, async () => {
  const url = await server.createDatabase()
  const { address } = store.at("move")
  for (const [flags, method] of [
    [["--to", url, "--files", address], "PUT"],
    [["--to", "file", "--files", "directory", "--database-url", url], "GET"],
  ] as const) {
    let hung = 0
    store.fault = (asked, key) => {
      if (asked !== method || key.endsWith("casella.json")) return undefined
      hung++
      return { hangs: true }
    }
    const move = begin(...flags)
    await waitFor(() => expect(hung).toBeGreaterThan(0))
    move.stop()
    expect(await move.ended).toEqual(stopped)
    store.fault = null
    store.endHanging()
    const secondRun = await begin(...flags).ended
    expect(secondRun).toEqual({ code: 0, said: expect.stringContaining("1 moved and compared") as string })
  }
})
