import { createHash, randomBytes } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../shared/testing/test-object-store.ts"
import { startTestPostgres } from "../shared/testing/test-postgres.ts"
import { newId } from "./core/ids.ts"
import { objectCachePath } from "./core/data-layout.ts"
import { rowsOf, startTestBox, type TestBox } from "./testing/test-box.ts"

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
const paramsOf = (fileId: string) => ({ params: { id: folderId, fileId } })
const textOf = async (fileId: string) => (await box.client.files.content(paramsOf(fileId))).text()
const list = () => box.client.files.list({ params: { id: folderId }, query: {} })
const names = async () => (await list()).files.map(({ name }) => name)

/** What the rows tell of the object of a file. */
async function objectOf(fileId: string): Promise<string> {
  await using rows = await rowsOf(box.dataDir)
  const files = rows.db.selectFrom("files").select("object").where("id", "=", fileId)
  return (await files.executeTakeFirstOrThrow()).object ?? ""
}

/** Copies here are brought again. */
async function forgetCopies(): Promise<void> {
  for (const name of await readdir(objectCachePath(box.dataDir)))
    await rm(join(objectCachePath(box.dataDir), name))
}

async function untilCompleted(fileId: string) {
  for (;;) {
    const { file } = await box.client.files.read(paramsOf(fileId))
    if (file.status === "completed" || file.status === "failed") return file
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// Catches bytes that stay here only, or come back as others: also of a file that is sent in parts.
test("files are objects, which come back as they were and are found", async () => {
  const large = `${randomBytes(15 << 20).toString("base64")} penguins`
  const fileId = await upload(large, "large.txt")
  expect(store.requests.filter((request) => request.startsWith("PUT")).length).toBeGreaterThan(3)
  expect(await readdir(join(box.dataDir, "folders")).catch(() => [])).toEqual([])
  expect(await readdir(join(box.dataDir, "uploads")).catch(() => [])).toEqual([])
  await forgetCopies()
  expect((await textOf(fileId)) === large).toBe(true)
  const small = await upload("Penguins swim well.", "birds.txt")
  expect((await untilCompleted(small)).error).toBe(null)
  const { results } = await box.client.folders.search({
    body: { query: "penguins swim", vector: [folderId] },
  })
  expect(results[0]?.fileName).toBe("birds.txt")
})

// Catches two files under one name, a replacement that loses either, and an old object that goes at once.
test("names are numbered, and a replaced file has the new bytes", async () => {
  const [first, second] = await Promise.all([upload("one", "a.txt"), upload("two", "a.txt")])
  expect((await names()).toSorted()).toEqual(["a (2).txt", "a.txt"])
  const before = await objectOf(first)
  await box.client.files.replace({ ...paramsOf(first), file: new Blob(["three"]), fileName: "b.txt" })
  expect(await textOf(first)).toBe("three")
  expect(await textOf(second)).toBe("two")
  expect(await names()).toContain("b.txt")
  expect(store.objects.has(`box/${before}`)).toBe(true)
})

// Catches a deletion that can't be undone, a trash that loses bytes, and objects that stay for ever.
test("deleted files come back, by undoing and from the trash", async () => {
  const fileId = await upload("kept", "a.txt")
  const { undo } = await box.client.files.remove(paramsOf(fileId))
  expect(await names()).toEqual([])
  await upload("other", "a.txt")
  await box.client.deletions.undo({ body: { token: undo.token } })
  expect(await textOf(fileId)).toBe("kept")
  expect((await names()).toSorted()).toEqual(["a (2).txt", "a.txt"])
  await box.client.files.remove(paramsOf(fileId))
  const [trashed] = (await box.client.files.trash({})).files
  const { file } = await box.client.files.putBack({ params: { id: trashed?.id ?? "" } })
  expect(await textOf(file.id)).toBe("kept")
})

// Catches a trash that is emptied without its bytes going, and one that takes with it what is just coming.
test("emptying the trash deletes objects, but none that a file has", async () => {
  const prefix = newId() // of this try alone
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
  expect(count()).toBe(3) // with casella.json
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

describe("a store that fails", () => {
  // Catches an upload that is told to be stored and isn't, or that leaves half a file behind.
  test.each([
    ["answers 500", { status: 500, code: "InternalError" }],
    ["answers 503", { status: 503, code: "SlowDown" }],
    ["refuses the key", { status: 403, code: "InvalidAccessKeyId" }],
  ])("that %s takes no upload, and the next one comes through", async (_, fault) => {
    store.fault = (method) => (method === "PUT" ? fault : undefined)
    await expect(upload("lost?", "a.txt")).rejects.toMatchObject({ code: "unavailable" })
    expect(await names()).toEqual([])
    store.fault = null
    expect(await textOf(await upload("stored", "a.txt"))).toBe("stored")
  })

  // Catches a file that counts as unreadable because its store was away for a while.
  test("lets a file wait that can't be brought", async () => {
    let isAway = true
    store.fault = (method) => (method === "GET" && isAway ? { status: 503, code: "SlowDown" } : undefined)
    const fileId = await upload("Penguins again", "late.txt")
    await forgetCopies()
    await box.client.files.retry(paramsOf(fileId))
    await expect(textOf(fileId)).rejects.toMatchObject({ code: "unavailable" })
    isAway = false
    await box.client.files.retry(paramsOf(fileId))
    expect((await untilCompleted(fileId)).error).toBe(null)
    expect(await textOf(fileId)).toBe("Penguins again")
  })

  // Catches half a file that is given out, or kept, as a whole one.
  test("that breaks off in the midst is asked again, and nothing half is kept", async () => {
    const fileId = await upload(randomBytes(3 << 20).toString("base64"), "large.txt")
    const whole = await textOf(fileId)
    await forgetCopies()
    store.fault = (method) => (method === "GET" ? { cutAfter: 1 << 20 } : undefined)
    await expect(textOf(fileId)).rejects.toMatchObject({ code: "unavailable" })
    store.fault = null
    expect((await textOf(fileId)) === whole).toBe(true)
  })

  // Catches bytes of somebody else's that are given out as the file.
  test("whose bytes are others than those stored gives out none", async () => {
    const fileId = await upload("as it was", "a.txt")
    store.objects.set(`box/${await objectOf(fileId)}`, Buffer.from("as it is."))
    await forgetCopies()
    await expect(textOf(fileId)).rejects.toMatchObject({
      code: "unavailable",
      message: "What the object store has of this file isn't what was stored there.",
    })
  })
})

describe("the copies here", () => {
  // Catches bytes of somebody else's that are given out because they lie where a copy was.
  test("are given out as they were stored, whatever was done to them", async () => {
    const fileId = await upload("as it was", "a.txt")
    expect(await textOf(fileId)).toBe("as it was")
    const path = join(objectCachePath(box.dataDir), await objectOf(fileId))
    await writeFile(path, "as it is.")
    expect(await textOf(fileId)).toBe("as it was")
    await rm(path)
    await mkdir(join(path, "in the way"), { recursive: true })
    expect(await textOf(fileId)).toBe("as it was")
  })

  // Catches a box that gives out nothing any more until it is started again.
  test("come again after their directory was deleted", async () => {
    const fileId = await upload("still there", "a.txt")
    await rm(objectCachePath(box.dataDir), { recursive: true })
    expect(await textOf(fileId)).toBe("still there")
    expect(await textOf(await upload("new", "b.txt"))).toBe("new")
  })
})

// Catches a row of a backup from elsewhere by which the box gives out, or deletes, any file of this computer.
test.each(["../casella.json", "/etc/hostname", "", "{"])(
  "a row that tells of “%s” has no bytes",
  async (object) => {
    const fileId = await upload("mine", "a.txt")
    await using rows = await rowsOf(box.dataDir)
    await rows.db.updateTable("files").set({ object }).where("id", "=", fileId).execute()
    await expect(textOf(fileId)).rejects.toMatchObject({ code: "not_found" })
  },
)

// Catches such a row, of a store that plays along, by which the box writes where it mustn't.
test("nothing is brought past the directory of copies", async () => {
  const fileId = await upload("mine", "a.txt")
  const name = `escaped.${createHash("sha256").update("theirs").digest("hex")}`
  for (const key of [name, `box/../${name}`]) store.objects.set(key, Buffer.from("theirs"))
  await using rows = await rowsOf(box.dataDir)
  const object = `../${name}`
  await rows.db.updateTable("files").set({ object }).where("id", "=", fileId).execute()
  await expect(textOf(fileId)).rejects.toMatchObject({ code: "not_found" })
  expect(await readdir(box.dataDir)).not.toContain(name)
})

describe("a place on a store", () => {
  // Catches a box that deletes, as unused, what belongs to another's rows.
  test("of another box is refused", async () => {
    await upload("mine", "a.txt")
    await expect(startTestBox({ files: store.at("box") })).rejects.toThrow(/belong to another Casella/)
  })

  // Catches a copy of the database, made to try a restore, whose box takes the files of the one that people work with.
  test("of a database is refused to a copy of that", { tags: "postgresql" }, async () => {
    await using server = startTestPostgres()
    const shared = { files: store.at("team"), secretsKey: Buffer.alloc(32, 7) }
    const databaseUrl = await server.createDatabase()
    await using first = await startTestBox({ ...shared, databaseUrl })
    const { id } = (await first.client.folders.create({ body: { name: "Notes" } })).vector
    await first.client.files.upload({ params: { id }, file: new Blob(["mine"]), fileName: "a.txt" })
    await first.box[Symbol.asyncDispose]()
    const copy = await server.createDatabase(databaseUrl)
    const before = new Map(store.objects)
    await expect(startTestBox({ ...shared, databaseUrl: copy })).rejects.toThrow(/copied from it/)
    expect(store.objects).toEqual(before)
    await first.restart()
  })

  // Catches a box that begins anew elsewhere, and gives out files that aren't there.
  test("that has none of the files is refused, and so is none at all", async () => {
    await upload("mine", "a.txt")
    await expect(box.restart({ files: store.at("elsewhere") })).rejects.toThrow(/no files of this Casella/)
    await expect(box.restart({ files: null })).rejects.toThrow(/Name it with --files/)
    await box.restart({ files: store.at("box") })
  })

  // Catches a start that fails for an outage, or takes a place for its own that it hasn't seen.
  test("that can't be reached at a start is looked at later", async () => {
    const fileId = await upload("still there", "a.txt")
    await forgetCopies()
    store.fault = () => ({ status: 503, code: "SlowDown" })
    await box.restart({ files: store.at("box") })
    await expect(upload("not now", "b.txt")).rejects.toMatchObject({ code: "unavailable" })
    const ready = async () => (await fetch(`${box.url}/api/ready`)).status
    expect(await ready()).toBe(503)
    store.fault = null
    await expect.poll(ready).toBe(200)
    expect(await textOf(fileId)).toBe("still there")
    expect(await textOf(await upload("now", "b.txt"))).toBe("now")
  })
})

// Catches an index that is left here, and files that count as unreadable because its store was away.
test("the search index is on a store too, and waits for it", async () => {
  const place = { files: store.at("both"), vectors: store.at("both/index") }
  await using whole = await startTestBox(place)
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
  await expect.poll(async () => (await state()).reasons?.map(({ code }) => code)).toEqual(["store_away"])
  expect((await state()).status).toBe("queued")
  store.fault = null
  await whole.client.files.retry({ params: { id, fileId: late } })
  await expect.poll(() => found("walruses")).toEqual(["late.txt"])
})
