import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { startBoxProcess, type BoxProcess } from "./testing/box-process.ts"

// Runs the box in its own process, because a failure here ends the process.
let dataDir: string
let temporary: string
let box: BoxProcess
let client: Client
let folder: string
const start = async (key?: string) => {
  box = await startBoxProcess(dataDir)
  client = createClient({ baseUrl: box.url, headers: { "x-api-key": key ?? box.firstRunKey ?? "" } })
}
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-tmp-"))
  temporary = join(dataDir, "tmp")
  await start()
  folder = (await client.folders.create({ body: { name: "Notes" } })).vector.id
})
afterEach(async () => {
  await box.stop("SIGKILL")
  await rm(dataDir, { recursive: true, force: true })
})

const clearAway = () => waitFor(() => rm(temporary, { recursive: true, force: true })) // the box may be writing there
/** Replaces tmp/ with a file, so that no one can write there, not even root. */
const block = () =>
  waitFor(async () => {
    await clearAway()
    await writeFile(temporary, "") // the box may have created the directory again
  })
const upload = async (fileName: string, text: string) => {
  await client.files.upload({ params: { id: folder }, file: new Blob([text]), fileName })
}
const search = (query: string) => client.folders.search({ body: { query, vector: [folder] } })
const finds = (query: string, fileName: string) =>
  expect
    .poll(async () => (await search(query)).results.map((passage) => passage.fileName))
    .toEqual([fileName])
const fileIs = (name: string, expected: object) =>
  expect
    .poll(async () =>
      (await client.files.list({ params: { id: folder } })).files.find((file) => file.name === name),
    )
    .toMatchObject(expected)

// Catches a box that crashes after a cleaner removed tmp/, when the index is opened or next changed.
test("recreates tmp/ before the index is opened and before it is changed", async () => {
  await clearAway()
  await upload("walrus.txt", "The walrus sleeps.")
  await finds("walrus", "walrus.txt")
  await clearAway()
  await upload("heron.txt", "The heron waits.")
  await finds("heron", "heron.txt")
})

// Catches a box that crashes, an index that is treated as damaged or stays closed until the next start, and a search that returns no
// results although it couldn't run.
test("doesn't open or change the index while tmp/ can't be created", async () => {
  await upload("walrus.txt", "The walrus sleeps.")
  await finds("walrus", "walrus.txt")
  await block()
  await upload("heron.txt", "The heron waits.")
  await fileIs("heron.txt", { status: "queued", note: expect.any(String) as string })
  await finds("walrus", "walrus.txt")
  await clearAway()
  await finds("heron", "heron.txt")
  expect(existsSync(join(dataDir, "index.broken"))).toBe(false)
  const key = box.firstRunKey
  await box.stop()
  await start(key)
  await block()
  await expect(search("walrus")).rejects.toMatchObject({ code: "unavailable", status: 503 })
  await clearAway()
  await finds("walrus", "walrus.txt")
  expect(existsSync(join(dataDir, "index.broken"))).toBe(false)
})
