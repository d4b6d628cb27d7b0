import { existsSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../shared/testing/test-object-store.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"
import { getRows, startTestBox, type TestBox } from "../testing/test-box.ts"
import { moveFiles, type MoveFilesOptions } from "./move-files.ts"

let store: TestObjectStore
let box: TestBox
let location: ReturnType<TestObjectStore["at"]>
let folderId: string
let prefixes = 0
beforeAll(async () => {
  store = await startTestObjectStore()
})
afterAll(() => store[Symbol.asyncDispose]())
beforeEach(async () => {
  store.fault = null
  location = store.at(`move-${++prefixes}`)
  box = await startTestBox({}, 1)
  folderId = (await box.client.folders.create({ body: { name: "Notes" } })).vector.id
  return () => box[Symbol.asyncDispose]()
})

const add = async (content: string, fileName: string, relativePath?: string) => {
  const params = { id: folderId }
  const file = new Blob([content])
  const receipt = await box.client.files.upload({
    params,
    file,
    fileName,
    ...(relativePath !== undefined && { relativePath }),
  })
  return receipt.files[0]?.id ?? ""
}
const getText = async (fileId: string) =>
  (await box.client.files.content({ params: { id: folderId, fileId } })).text()
/** Waits until a file is in the trash, which it enters a moment after its deletion. */
const inTrash = () =>
  waitFor(async () => {
    const { files } = await box.client.files.trash({})
    expect(files).not.toEqual([])
    return files
  })
const folderDirectory = () => join(box.dataDir, "folders", folderId)

const move = async (to: MoveFilesOptions["to"], signal = new AbortController().signal) => {
  await using rows = await getRows(box.dataDir)
  return await moveFiles({ store: location, to, database: rows.db, dataDir: box.dataDir, signal })
}

// Catches bytes, names or trash contents that are lost in either direction, and files that are indexed again unnecessarily.
test("files move to a store and back unchanged", async () => {
  const files = {
    [await add("one", "a.txt")]: "one",
    [await add("two", "a.txt", "deep/er/a.txt")]: "two",
  }
  await box.client.files.remove({ params: { id: folderId, fileId: await add("in the trash", "t.txt") } })
  const empty = (await box.client.folders.create({ body: { name: "Empty" } })).vector.id
  const before = (await box.client.files.list({ params: { id: folderId }, query: {} })).files
  const revisions = async () => {
    await using rows = await getRows(box.dataDir)
    const kept = rows.db.selectFrom("files").where("id", "in", Object.keys(files)) // the removed one will soon be gone
    return await kept.select(["id", "revision"]).orderBy("id").execute()
  }
  const read = await revisions()
  let printed: string[] = []
  await box.restart({ files: location }, async () => (printed = await move("store")))
  expect(printed[0]).toBe("files\t3 moved and compared, 18 bytes; 0 from chats")
  expect(existsSync(folderDirectory())).toBe(false)
  expect(store.requests.filter((request) => request.startsWith("PUT")).length).toBeGreaterThanOrEqual(3)
  for (const [fileId, text] of Object.entries(files)) expect(await getText(fileId)).toBe(text)
  expect(await revisions()).toEqual(read) // nothing is indexed again
  const [trashed] = await inTrash()
  const back = (await box.client.files.putBack({ params: { id: trashed?.id ?? "" } })).file
  expect(await getText(back.id)).toBe("in the trash")
  await box.client.files.remove({ params: { id: folderId, fileId: back.id } })

  await box.restart({ files: null }, () => move("directory"))
  expect((await readdir(folderDirectory(), { recursive: true })).toSorted()).toEqual([
    "a.txt",
    "deep",
    "deep/er",
    "deep/er/a.txt",
  ])
  for (const [fileId, text] of Object.entries(files)) expect(await getText(fileId)).toBe(text)
  const after = (await box.client.files.list({ params: { id: folderId }, query: {} })).files
  expect(after.map(({ id, name, modifiedAt }) => ({ id, name, modifiedAt }))).toEqual(
    before.map(({ id, name, modifiedAt }) => ({ id, name, modifiedAt })),
  )
  expect(await inTrash()).toHaveLength(1)
  expect(existsSync(join(box.dataDir, "folders", empty))).toBe(true)
})

// Catches a file that is restored to a user's own directory as a row only, and then treated as deleted there.
test("files deleted in a followed directory stay in the local trash, and are restored as files", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-followed-"))
  try {
    await writeFile(join(directory, "a.txt"), "followed")
    const { vector } = await box.client.folders.create({ body: { name: "Followed", folder: directory } })
    const params = { id: vector.id }
    const list = async () => (await box.client.files.list({ params, query: {} })).files
    await expect.poll(async () => (await list()).length).toBe(1)
    const [file] = await list()
    await box.client.files.remove({ params: { ...params, fileId: file?.id ?? "" } })
    await box.restart({ files: location }, () => move("store"))
    const [trashed] = await inTrash()
    await box.client.files.putBack({ params: { id: trashed?.id ?? "" } })
    expect(await readFile(join(directory, "a.txt"), "utf8")).toBe("followed")
  } finally {
    await rm(directory, { recursive: true })
  }
})

// Catches a move that takes effect before everything is there, one that starts over, and a box that starts during it.
test("an interrupted move is resumed, and no box starts until then", async () => {
  const ids = await Promise.all(["1", "2", "3"].map((content) => add(content, `${content}.txt`)))
  await box.restart({ files: location }, async () => {
    const isFile = (key: string) => !key.endsWith("casella.json")
    let stored = 0
    store.fault = (method, key) =>
      method === "PUT" && isFile(key) && ++stored > 2 ? { status: 403, code: "AccessDenied" } : undefined
    await expect(move("store")).rejects.toThrow(/refuses access/)
    expect(existsSync(folderDirectory())).toBe(true)
    await expect(startTestBox({ dataDir: box.dataDir })).rejects.toThrow(/move --files directory/)
    await expect(startTestBox({ dataDir: box.dataDir, files: location })).rejects.toThrow(/move --files s3:/)
    store.fault = null
    expect((await move("store"))[0]).toContain("1 moved")
  })
  expect(await Promise.all(ids.map(getText))).toEqual(["1", "2", "3"])
})

// Catches a store that returns different bytes from those it was given.
test("a file that the store returns with different bytes isn't moved", async () => {
  await add("whole", "a.txt")
  await box.restart({}, async () => {
    store.fault = (method, key) => {
      if (method === "GET" && !key.endsWith("casella.json")) store.objects.set(key, Buffer.from("whale"))
      return undefined
    }
    await expect(move("store")).rejects.toThrow(/other bytes/)
  })
})

// Catches a file that someone changed while the box was off, but that is treated as indexed.
test("a file changed in the meantime is indexed again", async () => {
  const fileId = await add("Nothing of note.", "a.txt")
  await box.restart({ files: location }, async () => {
    await writeFile(join(folderDirectory(), "a.txt"), "Penguins were here.")
    await move("store")
  })
  await expect
    .poll(async () => {
      const { results } = await box.client.folders.search({
        body: { query: "penguins", vector: [folderId] },
      })
      return results.map((result) => result.fileId)
    })
    .toEqual([fileId])
})
