import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { createOutbound } from "../outbound/outbound.ts"
import { silentLogger } from "../logging/logger.ts"
import { type RowsOwner, createOwnedStore, type OwnedStoreDeps, requireOwnPrefix } from "./owned-store.ts"
import { openS3 } from "./s3-store.ts"

let server: TestObjectStore
let directory: string
beforeEach(async () => {
  server = await startTestObjectStore()
  directory = await mkdtemp(join(tmpdir(), "casella-owned-"))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const outbound = createOutbound({
  localOnly: () => ({ on: false, decidedBy: "start", programs: true }),
  record: () => undefined,
})
const times = { freshMs: 10_000, askMs: 50, uploadCheckIntervalMs: 50, uploadAskMs: 200 }
const open = (owner: RowsOwner, changes: Partial<OwnedStoreDeps> = {}, changedTimes = {}) =>
  createOwnedStore(
    { store: openS3(server.at("box"), outbound), owner, known: null, logger: silentLogger, ...changes },
    { ...times, ...changedTimes },
  )
const rows = (database: string | null, id = "rows") => ({ id, database })
const note = (text?: object) => {
  if (text) server.objects.set("box/casella.json", Buffer.from(JSON.stringify(text)))
  return JSON.parse(server.objects.get("box/casella.json")?.toString() ?? "null") as unknown
}

// Catches a copy of the database, made to test a restore, whose box deletes files of the production database.
test("reserves a prefix for its database and refuses a copy", async () => {
  await open(rows("one")).checkOwner()
  server.objects.set("box/file", Buffer.from("theirs"))
  for (const other of [rows("two"), rows(null), rows("one", "others")]) {
    const store = open(other)
    await expect(store.remove("file")).rejects.toMatchObject({ code: "conflict" })
    await expect(store.create("file", "mine")).rejects.toMatchObject({ code: "conflict" })
    await expect(store.write("file", "mine")).rejects.toMatchObject({ code: "conflict" })
  }
  expect(server.objects.get("box/file")?.toString()).toBe("theirs")
  expect(note()).toEqual({ owner: "rows", database: "one" })
  const store = openS3(server.at("box"), outbound)
  for (const other of [rows("two"), rows(null), rows("one", "others")])
    await expect(requireOwnPrefix(store, other)).rejects.toMatchObject({ code: "conflict" })
  for (const database of ["one", "any"] as const) await requireOwnPrefix(store, rows(database))
  await open(rows("one")).remove("file")
  expect(server.objects.has("box/file")).toBe(false)
})

// Catches a prefix without a recorded database that stays open to copies, or refuses its own rows.
test("gives a prefix without a recorded database to the first database that claims it", async () => {
  note({ owner: "rows" })
  await open(rows("one")).checkOwner()
  expect(note()).toEqual({ owner: "rows", database: "one" })
  await expect(open(rows("two")).checkOwner()).rejects.toMatchObject({
    advice: expect.stringContaining("is a copy of it") as string,
  })
  note({ owner: "rows" })
  await open(rows(null)).checkOwner()
  expect(note()).toEqual({ owner: "rows" })
})

// Catches the store's address, or instructions for an administrator, in a message that everyone can read.
test("keeps the address of the store out of errors", async () => {
  server.fault = () => ({ status: 403, code: "AccessDenied" })
  const refused: unknown = await open(rows(null))
    .checkOwner()
    .catch((error: unknown) => error)
  note({ owner: "others" })
  server.fault = null
  const others: unknown = await open(rows(null))
    .checkOwner()
    .catch((error: unknown) => error)
  for (const error of [refused, others] as { message: string; advice: string }[]) {
    expect(error.message).not.toContain("s3://")
    expect(error.message).toContain("Ask the person who runs")
    expect(error.advice).toContain("s3://casella-test/box")
  }
})

// Catches a hanging store that is treated as available because nothing has failed yet, and a separate request for each caller.
test("reports a hanging store as unavailable until it responds again", async () => {
  const store = open(rows(null))
  await expect.poll(() => store.answers()).toBe(true)
  const asked = server.requests.length
  expect(await store.answers()).toBe(true)
  expect(server.requests).toHaveLength(asked)
  server.fault = () => ({ hangs: true })
  const hanging = store.has("file").catch(() => undefined)
  await expect.poll(() => store.answers()).toBe(false)
  server.fault = null
  server.endHanging()
  await hanging
  await expect.poll(() => store.answers()).toBe(true)
})

// Catches an upload that waits a minute for a silent store.
test("ends an upload soon if the store hangs", async () => {
  const path = join(directory, "file")
  await writeFile(path, "text")
  const store = open(rows(null))
  await store.checkOwner()
  server.fault = () => ({ hangs: true })
  await expect(store.put("file", path)).rejects.toMatchObject({ code: "unavailable" })
})

// Catches an upload that is aborted although it is only slow: because it takes long, or because one check of the store fails or is delayed
// by the upload itself.
test.each(["answers", "is late", "fails every other time"])(
  "continues a slow upload if the check of the store %s",
  async (check) => {
    const path = join(directory, "file")
    await writeFile(path, "text")
    // only a check that is meant to be late exceeds its time, even if the computer is busy
    const uploadAskMs = check === "is late" ? times.uploadAskMs : 10_000
    const store = open(rows(null), {}, { uploadAskMs })
    await store.checkOwner()
    let checks = 0
    server.fault = (method) => {
      if (method === "PUT") return { hangs: true }
      checks++
      const isRefused = check.startsWith("fails") && checks % 2 === 1
      return isRefused ? { status: 403, code: "AccessDenied" } : undefined
    }
    if (check === "is late") server.delayMs = times.uploadAskMs + 25
    const stopping = new AbortController()
    const slow = store.put("file", path, stopping.signal)
    const outcome = expect(slow).rejects.toMatchObject({ name: "AbortError" })
    await waitFor(() => expect(checks).toBeGreaterThan(6))
    stopping.abort()
    await outcome
  },
)
