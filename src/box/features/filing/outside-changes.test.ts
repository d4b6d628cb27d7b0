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
    .poll(async () => (await filesOf()).map(({ status }) => status))
    .toEqual(["completed", "completed"])
  ids = (await filesOf()).map(({ id }) => id)
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const filesOf = async () => (await box.client.files.list({ params: { id: own }, query: {} })).files
const rename = (fileId = "", name = "c.txt") =>
  box.client.filing.file({ body: { action: "rename", fileId, name } })
const pause = (paused: boolean) => box.client.folders.update({ params: { id: own }, body: { paused } })

// Would catch: a refused move that deletes what is known of a file, whose bytes come back with a drive or from a backup.
test("a file that can't be moved since it isn't there is known as before", async () => {
  await pause(true)
  await rm(join(directory, "a.txt"))
  await rm(join(directory, "b.txt"))
  await expect(rename(ids[0])).rejects.toMatchObject({ code: "conflict" })
  await box.restart()
  expect((await filesOf()).map(({ id }) => id)).toEqual(ids)
})

// Would catch: a file that its owner made read-only, to the box too, and that it may write to once it was moved and taken back.
test("a file keeps its rights where nobody may write to it", { tags: "unix" }, async () => {
  await chmod(join(directory, "a.txt"), 0o440)
  const { filing } = await rename(ids[0])
  const modeOf = async (name: string) => (await stat(join(directory, name))).mode & 0o777
  expect(await modeOf("c.txt")).toBe(0o440)
  await box.client.filing.undo({ params: { id: filing.id } })
  expect(await modeOf("a.txt")).toBe(0o440)
})

// Would catch: a text of before that is found for good, since a move takes the bytes for those that were read.
test("what somebody has written into a file just before it is moved is read", async () => {
  await pause(true)
  await writeFile(join(directory, "b.txt"), "Zebras run across the plain.")
  await rename(ids[1])
  await pause(false)
  await expect
    .poll(async () => (await filesOf()).map(({ name, status }) => `${name} ${status}`))
    .toContain("c.txt completed")
  const { results } = await box.client.folders.search({ body: { query: "zebras run", vector: [own] } })
  expect(results.map(({ text }) => text)).toContain("Zebras run across the plain.")
})
