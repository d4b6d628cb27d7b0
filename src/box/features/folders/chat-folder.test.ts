import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { ageClockPath } from "../../core/data-layout.ts"
import { endDeletions } from "../deletions/store.ts"
import { newId } from "../../core/ids.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"

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

// Catches a second folder for the same chat, a chat folder that clutters the list, and one that other users can reach.
test("a chat has one folder, which only its owner can see", async () => {
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

// Catches attachments that outlive their chat, or that are permanently lost with it.
test("a chat's folder goes to the trash with its chat", async () => {
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
  await using database = await getRows(box.dataDir)
  await endDeletions(database.db)
  await box.restart()
  const trash = () => readdir(join(box.dataDir, "trash"), { recursive: true }).catch(() => [])
  await expect.poll(trash).toContainEqual(expect.stringContaining("walrus.txt"))
})

// Catches attachments that stay searchable after their chat is deleted, and that the next chat with the same ID gets.
test("a chat's folder is removed in the same write as its chat", { tags: "rows-in-file" }, async () => {
  const { vector } = await box.client.conversations.folder({ params })
  await uploadTo(vector.id)
  const messages = [{ role: "user" as const, content: "Walrus?" }]
  const body = { id: "c1", messages, boxAddress: box.url, vector: [vector.id] }
  for await (const event of box.client.chat.send({ body })) if (event.type === "finish") break
  await using database = await getRows(box.dataDir)
  const refusal = sql`CREATE TRIGGER refusal BEFORE UPDATE OF removed ON folders BEGIN SELECT RAISE(ABORT, 'refused'); END`
  await refusal.execute(database.db)
  await expect(box.client.conversations.remove({ params })).rejects.toMatchObject({ code: "internal" })
  expect((await box.client.conversations.read({ params })).chat.messages).toHaveLength(2)
  expect((await box.client.conversations.folder({ params })).vector.id).toBe(vector.id)
  await sql`DROP TRIGGER refusal`.execute(database.db)
  await box.client.conversations.remove({ params })
  expect((await box.client.conversations.folder({ params })).vector.id).not.toBe(vector.id)
})

const day = (ago: number) => new Date(Date.now() - ago * 24 * 3_600_000).toISOString()
const getFolder = async (id: string) => (await box.client.conversations.folder({ params: { id } })).vector.id
const directories = () => readdir(join(box.dataDir, "folders"))

/** Backdates a chat's folder and its files by this many days. */
async function age(id: string, folderDays: number, fileDays = folderDays): Promise<void> {
  await using database = await getRows(box.dataDir)
  const { db } = database
  await db
    .updateTable("folders")
    .set({ createdAt: day(folderDays) })
    .where("id", "=", id)
    .execute()
  await db
    .updateTable("files")
    .set({ createdAt: day(fileDays) })
    .where("folderId", "=", id)
    .execute()
}

// Catches folders that pile up for chats without a question. Also catches files that are cleared while they wait in an open composer, even
// one opened long ago, or after the clock jumps ahead by as much as ages follow it.
test("a chat's folder is cleared at the start if the chat hasn't started and had no new file for 30 days", async () => {
  const [abandoned, used, jumped] = [
    await getFolder("abandoned"),
    await getFolder("used"),
    await getFolder("j"),
  ]
  for (const id of [abandoned, used, jumped]) await uploadTo(id)
  await age(abandoned, 31)
  await age(used, 31, 0)
  await age(jumped, 8)
  await box.restart()
  expect((await directories()).toSorted()).toEqual([used, jumped].toSorted())
  await expect(box.client.folders.read({ params: { id: abandoned } })).rejects.toMatchObject({
    code: "not_found",
  })
  for (const id of [used, jumped])
    expect((await box.client.files.list({ params: { id } })).files).toHaveLength(1)
  const kept = await readdir(join(box.dataDir, "trash"), { recursive: true })
  expect(kept.filter((path) => path.endsWith("walrus.txt"))).toHaveLength(1)
})

// Catches a server that runs for months and clears folders only when it starts.
test("a chat's folder is cleared once a day while the server runs", async () => {
  await box[Symbol.asyncDispose]()
  const intervals = vi.spyOn(globalThis, "setInterval")
  try {
    box = await startTestBox()
    const id = await getFolder("abandoned")
    await age(id, 31)
    for (const [everyDay, ms] of intervals.mock.calls) if (ms === 24 * 3_600_000) everyDay()
    await expect.poll(directories).toEqual([])
  } finally {
    intervals.mockRestore()
  }
})

// Catches a script that opens chats without limit, and a limit that makes its user lose files.
test("at most 1,000 unstarted chats have a folder: the oldest folder without a file is removed", async () => {
  const [folderWithFile, empty] = [await getFolder("oldest"), await getFolder("empty")]
  await uploadTo(folderWithFile)
  await age(folderWithFile, 3)
  await age(empty, 2)
  await using database = await getRows(box.dataDir)
  const { db } = database
  const folder = await db.selectFrom("folders").selectAll().where("id", "=", empty).executeTakeFirstOrThrow()
  const copies = Array.from({ length: 998 }, (_, index) => ({ id: newId(), chatId: `copy ${index}` }))
  await db
    .insertInto("folders")
    .values(copies.map((copy) => ({ ...folder, ...copy, path: `folders/${copy.id}`, createdAt: day(1) })))
    .execute()
  const oneMore = await getFolder("one more")
  expect((await directories()).toSorted()).toEqual([folderWithFile, oneMore].toSorted())

  const file = await db.selectFrom("files").selectAll().executeTakeFirstOrThrow()
  const files = [oneMore, ...copies.map(({ id }) => id)].map((folderId) => ({
    ...file,
    id: newId(),
    folderId,
  }))
  for (const some of [files.slice(0, 500), files.slice(500)])
    await db.insertInto("files").values(some).execute()
  await expect(getFolder("too many")).rejects.toMatchObject({ code: "conflict" })
  expect(await getFolder("oldest")).toBe(folderWithFile)
})

// Catches attachments that are removed because the clock was wrong when their chat was opened and was corrected later.
test("a chat's folder isn't backdated by a clock that is behind", async () => {
  await box.box[Symbol.asyncDispose]()
  const now = Date.now() + 3 * 24 * 3_600_000
  await writeFile(ageClockPath(box.dataDir), JSON.stringify({ now, caughtUp: now, system: now }))
  await box.restart()
  const { vector } = await box.client.conversations.folder({ params })
  expect(Date.parse(vector.createdAt)).toBeGreaterThanOrEqual(now)
})
