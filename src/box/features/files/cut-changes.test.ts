import { mkdtemp, readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import type { BoxProcess } from "../../testing/box-process.ts"
import { killsItself, startFaultyBox } from "../../testing/faulty-box.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let dataDir: string
let box: BoxProcess
let again: TestBox
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-replace-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await again[Symbol.asyncDispose]() // with its directory
})

// Would catch: a replacement under another name, cut by a crash, that leaves both documents, or none.
it.each([
  ["after the new file has its name", "after", "link", "new.txt", "old.txt"],
  ["before the old file goes", "before", "unlink", "old.txt", "new.txt"],
] as const)("cut %s, it leaves one document", async (_, when, call, argument, expected) => {
  box = await startFaultyBox(killsItself(when, call, argument), dataDir)
  const key = box.firstRunKey ?? ""
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const uploaded = await client.files.upload({ params, file: new Blob(["old"]), fileName: "old.txt" })
  const fileId = uploaded.files[0]?.id ?? ""
  await expect(
    client.files.replace({ params: { ...params, fileId }, file: new Blob(["new"]), fileName: "new.txt" }),
  ).rejects.toMatchObject({ code: "unavailable" })

  again = await startTestBox({ dataDir })
  const { files } = again.clientOf(key)
  await expect
    .poll(
      async () => (await files.list({ params })).files.map(({ id, name, status }) => [id, name, status]),
      {
        timeout: 20_000,
      },
    )
    .toEqual([[fileId, expected, "completed"]])
  expect(await readdir(vector.folder)).toEqual([expected])
  expect(await (await files.content({ params: { ...params, fileId } })).text()).toBe(expected.slice(0, 3))
})

// Would catch: a document that is listed and found although its bytes are in the trash, or whose words stay in the database.
it("a deletion that is cut after its file goes is ended by the next start", async () => {
  const word = "zanzibarquux"
  const { key, params, folder } = await cutDeletion("after", `${word} `.repeat(500))
  again = await startTestBox({ dataDir })
  const { files, storage } = again.clientOf(key)
  await expect.poll(async () => (await files.list({ params })).total, { timeout: 20_000 }).toBe(0)
  expect(await readdir(folder)).toEqual([])
  await storage.emptyTrash()
  await again.box[Symbol.asyncDispose]()
  expect((await readFile(join(dataDir, "casella.sqlite"))).includes(word)).toBe(false)
  const left = await readdir(join(dataDir, "trash"), { recursive: true })
  expect(left.filter((name) => name.includes("secret"))).toEqual([])
})

// Would catch: a deletion that is made by a later start, although whoever asked for it may have heard that it was refused.
it("a deletion that is cut before its file goes leaves the file", async () => {
  const { key, params, fileId } = await cutDeletion("before", "walrus")
  again = await startTestBox({ dataDir })
  const { files } = again.clientOf(key)
  expect(await (await files.content({ params: { ...params, fileId } })).text()).toBe("walrus")
  await again.restart()
  expect((await again.clientOf(key).files.list({ params })).files).toMatchObject([
    { id: fileId, status: "completed" },
  ])
})

async function cutDeletion(when: "before" | "after", text: string) {
  box = await startFaultyBox(killsItself(when, "unlink", "secret.txt"), dataDir)
  const key = box.firstRunKey ?? ""
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const uploaded = await client.files.upload({ params, file: new Blob([text]), fileName: "secret.txt" })
  const fileId = uploaded.files[0]?.id ?? ""
  const status = async () => (await client.files.read({ params: { ...params, fileId } })).file.status
  await expect.poll(status, { timeout: 20_000 }).toBe("completed")
  await expect(client.files.remove({ params: { ...params, fileId } })).rejects.toMatchObject({
    code: "unavailable",
  })
  return { key, params, fileId, folder: vector.folder }
}
