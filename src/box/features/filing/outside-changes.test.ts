import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let directory: string
let own: string
let ids: string[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-outside-"))
  await writeFile(join(directory, "a.txt"), "Penguins swim well.")
  await writeFile(join(directory, "b.txt"), "Walruses rest.")
  box = await startTestBox()
  own = (await box.client.folders.create({ body: { name: "Own", folder: directory } })).vector.id
  await expect
    .poll(async () => (await listFiles()).map(({ status }) => status))
    .toEqual(["completed", "completed"])
  ids = (await listFiles()).map(({ id }) => id)
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const listFiles = async () => (await box.client.files.list({ params: { id: own }, query: {} })).files
const rename = (fileId = "", name = "c.txt") =>
  box.client.filing.file({ body: { action: "rename", fileId, name } })
const pause = (paused: boolean) => box.client.folders.update({ params: { id: own }, body: { paused } })

// Catches a refused move that deletes the record of a file whose bytes come back with a drive or from a backup.
test("a file that can't be moved because it is missing stays listed", async () => {
  await pause(true)
  await rm(join(directory, "a.txt"))
  await rm(join(directory, "b.txt"))
  await expect(rename(ids[0])).rejects.toMatchObject({ code: "conflict" })
  await box.restart()
  expect((await listFiles()).map(({ id }) => id)).toEqual(ids)
})

// Catches a read-only file that becomes writable for the server after a move and an undo.
test("a file keeps its permissions if no one may write to it", { tags: "unix" }, async () => {
  await chmod(join(directory, "a.txt"), 0o440)
  const { filing } = await rename(ids[0])
  const getMode = async (name: string) => (await stat(join(directory, name))).mode & 0o777
  expect(await getMode("c.txt")).toBe(0o440)
  await box.client.filing.undo({ params: { id: filing.id } })
  expect(await getMode("a.txt")).toBe(0o440)
})

// Catches outdated text that search keeps finding, because a move treats the current bytes as the indexed ones.
test("text written into a file just before a move is indexed", async () => {
  await pause(true)
  await writeFile(join(directory, "b.txt"), "Zebras run across the plain.")
  await rename(ids[1])
  await pause(false)
  await expect
    .poll(async () => (await listFiles()).map(({ name, status }) => `${name} ${status}`))
    .toContain("c.txt completed")
  const { results } = await box.client.folders.search({ body: { query: "zebras run", vector: [own] } })
  expect(results.map(({ text }) => text)).toContain("Zebras run across the plain.")
})
