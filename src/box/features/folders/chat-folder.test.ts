import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openDatabase } from "../../core/database.ts"
import { databasePath } from "../../start-box.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const params = { id: "c1" }
const uploadTo = (vectorId: string) =>
  box.client.files.upload({ params: { id: vectorId }, file: new Blob(["A walrus."]), fileName: "walrus.txt" })
const post = (path: string) =>
  fetch(`${box.url}${path}`, { method: "POST", headers: { "x-api-key": box.key } })

// Catches a second folder for the same chat, one that clutters the list, and one that others can reach.
test("a chat has one folder of its own, which only its owner knows", async () => {
  const first = await post("/api/public/chats/c1/folder")
  expect(first.status).toBe(201)
  const made = await Promise.all([1, 2, 3].map(() => box.client.conversations.folder({ params })))
  const ids = new Set(made.map(({ vector }) => vector.id))
  expect(ids.size).toBe(1)
  expect((await post("/api/public/chats/c1/folder")).status).toBe(200)
  expect((await post(`/api/public/chats/${"x".repeat(201)}/folder`)).status).toBe(400)

  const [id = ""] = ids
  expect((await box.client.folders.list()).vectors).toEqual([])
  expect((await box.client.folders.read({ params: { id } })).vector).toMatchObject({ visibility: "PRIVATE" })
  const shared = box.client.folders.update({ params: { id }, body: { visibility: "TEAM" } })
  await expect(shared).rejects.toMatchObject({ code: "validation", details: [{ field: "visibility" }] })

  const other = await addUser(box, "other@example.com")
  expect((await other.conversations.folder({ params })).vector.id).not.toBe(id)
  await expect(other.folders.read({ params: { id } })).rejects.toMatchObject({ code: "not_found" })
})

// Catches attachments that outlive their chat, or that are lost for good with it.
test("goes to the trash with its chat", async () => {
  const { vector } = await box.client.conversations.folder({ params })
  await uploadTo(vector.id)
  const body = {
    id: "c1",
    messages: [{ role: "user" as const, content: "Walrus?" }],
    boxAddress: box.url,
    vector: [vector.id],
  }
  for await (const event of box.client.chat.send({ body })) if (event.type === "finish") break
  await box.client.conversations.remove({ params })
  await expect(box.client.folders.read({ params: { id: vector.id } })).rejects.toMatchObject({
    code: "not_found",
  })
  const kept = await readdir(join(box.dataDir, "trash"), { recursive: true })
  expect(kept.some((path) => path.endsWith("walrus.txt"))).toBe(true)
})

// Catches folders of chats that were never sent piling up, and those of today's drafts being cleared.
test("is cleared at the start after a day if its chat never began", async () => {
  const old = (await box.client.conversations.folder({ params: { id: "old" } })).vector.id
  const fresh = (await box.client.conversations.folder({ params: { id: "fresh" } })).vector.id
  {
    await using database = openDatabase(databasePath(box.dataDir))
    const dayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString()
    await database.db.updateTable("folders").set({ createdAt: dayAgo }).where("id", "=", old).execute()
  }
  await box.restart()
  await expect(box.client.folders.read({ params: { id: old } })).rejects.toMatchObject({ code: "not_found" })
  expect((await box.client.folders.read({ params: { id: fresh } })).vector.id).toBe(fresh)
})
