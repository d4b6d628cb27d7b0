import { createHash, randomBytes } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../shared/testing/test-object-store.ts"
import { startTestPostgres } from "../shared/testing/test-postgres.ts"
import { newId } from "./core/ids.ts"
import { objectCachePath } from "./core/data-layout.ts"
import { getRows, startTestBox, type TestBox } from "./testing/test-box.ts"

let store: TestObjectStore
let box: TestBox
let folderId: string
beforeEach(async () => {
  store = await startTestObjectStore()
  box = await startTestBox({ files: store.at("box") }, 300_000)
  folderId = (await box.client.folders.create({ body: { name: "Notes" } })).vector.id
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

async function upload(content: string | Uint8Array<ArrayBuffer>, fileName: string): Promise<string> {
  const receipt = await box.client.files.upload({
    params: { id: folderId },
    file: new Blob([content]),
    fileName,
  })
  return receipt.files[0]?.id ?? ""
}
const getParams = (fileId: string) => ({ params: { id: folderId, fileId } })
const getText = async (fileId: string) => (await box.client.files.content(getParams(fileId))).text()
const list = () => box.client.files.list({ params: { id: folderId }, query: {} })
const names = async () => (await list()).files.map(({ name }) => name)

/** Returns the name of a file's object from the database. */
async function getObject(fileId: string): Promise<string> {
  await using rows = await getRows(box.dataDir)
  const files = rows.db.selectFrom("files").select("object").where("id", "=", fileId)
  return (await files.executeTakeFirstOrThrow()).object ?? ""
}

/** Removes the local copies, so that they are fetched again. */
async function forgetCopies(): Promise<void> {
  for (const name of await readdir(objectCachePath(box.dataDir)))
    await rm(join(objectCachePath(box.dataDir), name), { force: true }) // a copy that is being fetched gets another name
}

async function waitUntilCompleted(fileId: string) {
  for (;;) {
    const { file } = await box.client.files.read(getParams(fileId))
    if (file.status === "completed" || file.status === "failed") return file
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// Catches bytes that are only stored locally or that come back changed, also for a file sent in parts.
test("files are stored as objects, returned unchanged and found by search", async () => {
  const large = `${randomBytes(15 << 20).toString("base64")} penguins`
  const fileId = await upload(large, "large.txt")
  expect(store.requests.filter((request) => request.startsWith("PUT")).length).toBeGreaterThan(3)
  expect(await readdir(join(box.dataDir, "folders")).catch(() => [])).toEqual([])
  expect(await readdir(join(box.dataDir, "uploads")).catch(() => [])).toEqual([])
  await forgetCopies()
  expect((await getText(fileId)) === large).toBe(true)
  const small = await upload("Penguins swim well.", "birds.txt")
  expect((await waitUntilCompleted(small)).error).toBe(null)
  const { results } = await box.client.folders.search({
    body: { query: "penguins swim", vector: [folderId] },
  })
  expect(results[0]?.fileName).toBe("birds.txt")
})

// Catches two files with the same name, a replacement that loses either version, and a previous object that is deleted at once.
test("duplicate names are numbered, and a replaced file has the new bytes", async () => {
  const [first, second] = await Promise.all([upload("one", "a.txt"), upload("two", "a.txt")])
  expect((await names()).toSorted()).toEqual(["a (2).txt", "a.txt"])
  const before = await getObject(first)
  await box.client.files.replace({ ...getParams(first), file: new Blob(["three"]), fileName: "b.txt" })
  expect(await getText(first)).toBe("three")
  expect(await getText(second)).toBe("two")
  expect(await names()).toContain("b.txt")
  expect(store.objects.has(`box/${before}`)).toBe(true)
})

// Catches a deletion that can't be undone, a trash that loses bytes, and objects that stay forever.
test("deleted files come back by undo and from the trash", async () => {
  const fileId = await upload("kept", "a.txt")
  const { undo } = await box.client.files.remove(getParams(fileId))
  expect(await names()).toEqual([])
  await upload("other", "a.txt")
  await box.client.deletions.undo({ body: { token: undo.token } })
  expect(await getText(fileId)).toBe("kept")
  expect((await names()).toSorted()).toEqual(["a (2).txt", "a.txt"])
  await box.client.files.remove(getParams(fileId))
  const [trashed] = (await box.client.files.trash({})).files
  const { file } = await box.client.files.putBack({ params: { id: trashed?.id ?? "" } })
  expect(await getText(file.id)).toBe("kept")
})

// Catches an emptied trash whose bytes remain, and one that also deletes a file that is being uploaded.
test("emptying the trash deletes objects, but none that a file uses", async () => {
  const prefix = newId() // Used only by this test.
  await using brief = await startTestBox({ files: store.at(prefix) }, 1)
  const { id } = (await brief.client.folders.create({ body: { name: "Notes" } })).vector
  const files = brief.client.files
  const add = async (content: string) => {
    const receipt = await files.upload({ params: { id }, file: new Blob([content]), fileName: "a.txt" })
    return receipt.files[0]?.id ?? ""
  }
  const count = () => [...store.objects.keys()].filter((key) => key.startsWith(`${prefix}/`)).length
  const kept = await add("kept")
  const going = await add("going")
  expect(count()).toBe(3) // Includes casella.json.
  await files.remove({ params: { id, fileId: going } })
  const coming: Promise<string>[] = []
  store.fault = (method, key) => {
    if (method === "PUT" && coming.length === 1) coming.push(files.emptyTrash({}).then(() => key))
    return undefined
  }
  coming.push(add("coming"))
  await Promise.all(coming)
  await expect.poll(count).toBe(3)
  for (const [fileId, text] of [
    [kept, "kept"],
    [await coming[0], "coming"],
  ] as const) {
    const answer = await files.content({ params: { id, fileId: fileId ?? "" } })
    expect(await answer.text()).toBe(text)
  }
})

describe("a failing store", () => {
  // Catches an upload that is reported as stored but isn't, or that leaves a partial file.
  test.each([
    ["answers 500", { status: 500, code: "InternalError" }],
    ["answers 503", { status: 503, code: "SlowDown" }],
    ["refuses the key", { status: 403, code: "InvalidAccessKeyId" }],
  ])("that %s rejects an upload and accepts the next one", async (_, fault) => {
    store.fault = (method) => (method === "PUT" ? fault : undefined)
    await expect(upload("lost?", "a.txt")).rejects.toMatchObject({ code: "unavailable" })
    expect(await names()).toEqual([])
    store.fault = null
    expect(await getText(await upload("stored", "a.txt"))).toBe("stored")
  })

  // Catches a file that is reported as unreadable because its store was unavailable for a while.
  test("keeps a file that can't be fetched waiting", async () => {
    let isAway = true
    store.fault = (method) => (method === "GET" && isAway ? { status: 503, code: "SlowDown" } : undefined)
    const fileId = await upload("Penguins again", "late.txt")
    await forgetCopies()
    await box.client.files.retry(getParams(fileId))
    await expect(getText(fileId)).rejects.toMatchObject({ code: "unavailable" })
    isAway = false
    await box.client.files.retry(getParams(fileId))
    expect((await waitUntilCompleted(fileId)).error).toBe(null)
    expect(await getText(fileId)).toBe("Penguins again")
  })

  // Catches a partial file that is returned or kept as a complete one.
  test("that stops midway is called again, and no partial file is kept", async () => {
    const fileId = await upload(randomBytes(3 << 20).toString("base64"), "large.txt")
    await waitUntilCompleted(fileId) // it is also read in the background, which makes a copy
    const whole = await getText(fileId)
    await forgetCopies()
    store.fault = (method) => (method === "GET" ? { cutAfter: 1 << 20 } : undefined)
    await expect(getText(fileId)).rejects.toMatchObject({ code: "unavailable" })
    store.fault = null
    expect((await getText(fileId)) === whole).toBe(true)
  })

  // Catches bytes from someone else that are returned as the file.
  test("whose bytes differ from those stored returns none", async () => {
    const fileId = await upload("as it was", "a.txt")
    await waitUntilCompleted(fileId)
    store.objects.set(`box/${await getObject(fileId)}`, Buffer.from("as it is."))
    await forgetCopies()
    await expect(getText(fileId)).rejects.toMatchObject({
      code: "unavailable",
      message: "This file's contents in the object store aren't what was stored there.",
    })
  })
})

describe("local copies", () => {
  // Catches bytes from someone else that are returned because they replaced a copy.
  test("are returned as they were stored, whatever was done to them", async () => {
    const fileId = await upload("as it was", "a.txt")
    await waitUntilCompleted(fileId)
    expect(await getText(fileId)).toBe("as it was")
    const path = join(objectCachePath(box.dataDir), await getObject(fileId))
    await writeFile(path, "as it is.")
    expect(await getText(fileId)).toBe("as it was")
    await rm(path)
    await mkdir(join(path, "in the way"), { recursive: true })
    expect(await getText(fileId)).toBe("as it was")
  })

  // Catches a box that returns no files until it is restarted.
  test("are fetched again after their directory was deleted", async () => {
    const fileId = await upload("still there", "a.txt")
    await waitUntilCompleted(fileId)
    await rm(objectCachePath(box.dataDir), { recursive: true })
    expect(await getText(fileId)).toBe("still there")
    expect(await getText(await upload("new", "b.txt"))).toBe("new")
  })
})

// Catches a row in a foreign backup that makes the box return or delete any file on this computer.
test.each(["../casella.json", "/etc/hostname", "", "{"])(
  "a row with the object “%s” has no content",
  async (object) => {
    const fileId = await upload("mine", "a.txt")
    await using rows = await getRows(box.dataDir)
    await rows.db.updateTable("files").set({ object }).where("id", "=", fileId).execute()
    await expect(getText(fileId)).rejects.toMatchObject({ code: "not_found" })
  },
)

// Catches such a row, together with a matching object in the store, that makes the box write to a forbidden location.
test("nothing is fetched into a location outside the directory of copies", async () => {
  const fileId = await upload("mine", "a.txt")
  const name = `escaped.${createHash("sha256").update("theirs").digest("hex")}`
  for (const key of [name, `box/../${name}`]) store.objects.set(key, Buffer.from("theirs"))
  await using rows = await getRows(box.dataDir)
  const object = `../${name}`
  await rows.db.updateTable("files").set({ object }).where("id", "=", fileId).execute()
  await expect(getText(fileId)).rejects.toMatchObject({ code: "not_found" })
  expect(await readdir(box.dataDir)).not.toContain(name)
})

describe("a location on a store", () => {
  // Catches a box that deletes another box's objects as unused.
  test("is refused if it belongs to another box", async () => {
    await upload("mine", "a.txt")
    await expect(startTestBox({ files: store.at("box") })).rejects.toThrow(/belong to another Casella/)
  })

  // Catches a copy of the database, made to test a restore, whose box takes over the files of the production database.
  test("that belongs to a database is refused for a copy of it", { tags: "postgresql" }, async () => {
    await using server = startTestPostgres()
    const shared = { files: store.at("team"), secretsKey: Buffer.alloc(32, 7) }
    const databaseUrl = await server.createDatabase()
    await using first = await startTestBox({ ...shared, databaseUrl })
    const { id } = (await first.client.folders.create({ body: { name: "Notes" } })).vector
    await first.client.files.upload({ params: { id }, file: new Blob(["mine"]), fileName: "a.txt" })
    await first.box[Symbol.asyncDispose]()
    const copy = await server.createDatabase(databaseUrl)
    const before = new Map(store.objects)
    await expect(startTestBox({ ...shared, databaseUrl: copy })).rejects.toThrow(/is a copy of it/)
    expect(store.objects).toEqual(before)
    await first.restart()
  })

  // Catches a box that starts again at another location and lists files that aren't there.
  test("is refused if it has none of the files, and so is a missing one", async () => {
    await upload("mine", "a.txt")
    await expect(box.restart({ files: store.at("elsewhere") })).rejects.toThrow(
      /files of this Casella aren.t at/,
    )
    await expect(box.restart({ files: null })).rejects.toThrow(/Give its address with --files/)
    await box.restart({ files: store.at("box") })
  })

  // Catches a start that fails because of an outage, or that claims a location without having read it.
  test("that can't be reached at startup is checked later", async () => {
    const fileId = await upload("still there", "a.txt")
    await forgetCopies()
    store.fault = () => ({ status: 503, code: "SlowDown" })
    await box.restart({ files: store.at("box") })
    await expect(upload("not now", "b.txt")).rejects.toMatchObject({ code: "unavailable" })
    const ready = async () => (await fetch(`${box.url}/api/ready`)).status
    expect(await ready()).toBe(503)
    store.fault = null
    await expect.poll(ready).toBe(200)
    expect(await getText(fileId)).toBe("still there")
    expect(await getText(await upload("now", "b.txt"))).toBe("now")
  })
})

// Catches an index that stays on this computer, and files that are reported as unreadable because the store was unavailable.
test("the search index is also on a store, and waits for it", async () => {
  const locations = { files: store.at("both"), vectors: store.at("both/index") }
  await using whole = await startTestBox(locations)
  const { id } = (await whole.client.folders.create({ body: { name: "Notes" } })).vector
  const add = (content: string, fileName: string) =>
    whole.client.files.upload({ params: { id }, file: new Blob([content]), fileName })
  const found = async (query: string) => {
    const { results } = await whole.client.folders.search({ body: { query, vector: [id] } })
    return results.map(({ fileName }) => fileName)
  }
  await add("Penguins swim well.", "swim.txt")
  await expect.poll(() => found("penguins")).toEqual(["swim.txt"])
  expect([...store.objects.keys()].some((key) => key.startsWith("both/index/tables-"))).toBe(true)
  expect(await readdir(join(whole.dataDir, "index"))).not.toContain("tables")
  store.fault = (_, key) => (key.includes("/tables-") ? { status: 403, code: "AccessDenied" } : undefined)
  const late = (await add("Walruses don't.", "late.txt")).files[0]?.id ?? ""
  const state = async () => (await whole.client.files.read({ params: { id, fileId: late } })).file
  await expect
    .poll(async () => {
      const { reasons, status } = await state()
      return { status, reasons: reasons?.map(({ code }) => code) }
    })
    .toEqual({ status: "queued", reasons: ["store_away"] })
  store.fault = null
  await whole.client.files.retry({ params: { id, fileId: late } })
  await expect.poll(() => found("walruses")).toEqual(["late.txt"])
})
