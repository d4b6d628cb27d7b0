import { existsSync } from "node:fs"
import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import type { Folder } from "../../../shared/contract/folders.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"

let server: FolderServer
let client: Client
let folder: Folder
beforeAll(async () => {
  server = await startFolderServer()
  client = server.getClient("alice")
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = (await client.folders.create({ body: { name: "Notes" } })).vector
})

async function upload(content: string | Uint8Array<ArrayBuffer>, fileName: string, relativePath?: string) {
  const params = { id: folder.id }
  const file = new Blob([content])
  const receipt = await client.files.upload({
    params,
    file,
    fileName,
    ...(relativePath ? { relativePath } : {}),
  })
  const [stored] = receipt.files
  if (!stored) throw new Error("The receipt has no file.")
  return stored
}

const getParams = (fileId: string, id = folder.id) => ({ params: { id, fileId } })
const search = async (query: string) =>
  (await client.folders.search({ body: { query, vector: [folder.id] } })).results

/** Returns the names of everything in the trash, without dates and IDs. */
async function trashed(): Promise<string[]> {
  const all = await readdir(join(server.dataDir, "trash"), { recursive: true }).catch(() => [])
  return all.map((path) => path.split("/").slice(2).join("/")).filter((name) => name !== "")
}

// Catches a break anywhere in the chain: storing, queueing, reading, cutting, indexing, finding, deleting.
test("stores, indexes, finds, returns and deletes a file", async () => {
  const text = "# Penguins\n\nPenguins swim well and walk badly."
  const receipt = await client.files.upload({
    params: { id: folder.id },
    file: new Blob([text]),
    fileName: "birds.md",
    relativePath: "animals/birds.md",
    client_id: "c-1",
  })
  const fileId = receipt.files[0]?.id ?? ""
  expect(receipt).toMatchObject({
    status: "accepted",
    collection: folder.id,
    task_ids: [fileId],
    files: [
      { filename: "birds.md", client_id: "c-1", relativePath: `${folder.id}/animals/birds.md`, size: 46 },
    ],
  })
  await server.ingestion.whenIdle()
  const { file } = await client.files.read(getParams(fileId))
  const done = { status: "completed", phase: "done", progress: 100, error: null, note: null }
  expect(file).toMatchObject({ ...done, folder: "animals", attempts: 1 })
  expect(await search("penguins")).toMatchObject([
    { fileId, fileName: "birds.md", vectorId: folder.id, relativePath: `${folder.id}/animals/birds.md` },
  ])
  expect(await (await client.files.text(getParams(fileId))).text()).toBe(
    "Penguins\n\nPenguins swim well and walk badly.",
  )
  const blocks = await client.files.text({ ...getParams(fileId), query: { format: "blocks" } })
  expect(await blocks.json()).toMatchObject({ blocks: [{ text: "Penguins", location: { line: 1 } }, {}] })
  expect(await (await client.files.content(getParams(fileId))).text()).toBe(text)

  const answer = { status: "deleted", deleted: true, file_id: fileId, errors: [] }
  expect(await client.files.remove(getParams(fileId))).toMatchObject(answer)
  expect(await search("penguins")).toEqual([])
  await expect(client.files.remove(getParams(fileId))).rejects.toMatchObject({ code: "not_found" })
  expect(await trashed()).toContain("birds.md")
})

// Catches overwritten files: an upload never replaces another file.
test("adds a number to a name that is taken in its sub-folder", async () => {
  const names = []
  for (const content of ["one", "two", "three"]) names.push((await upload(content, "a.tar.txt")).filename)
  names.push((await upload("four", "x", "sub/a.tar.txt")).filename)
  expect(names).toEqual(["a.tar.txt", "a.tar (2).txt", "a.tar (3).txt", "a.tar.txt"])
  expect(await readFile(join(folder.folder, "a.tar (2).txt"), "utf8")).toBe("two")
  const twins = await Promise.all([upload("five", "b.txt"), upload("six", "b.txt"), upload("seven", "b.txt")])
  expect(twins.map((file) => file.filename).sort()).toEqual(["b (2).txt", "b (3).txt", "b.txt"])
})

describe("refused uploads store nothing:", () => {
  const cases: [string, string | Uint8Array<ArrayBuffer>, string, string | undefined, string][] = [
    [
      "an executable named as a PDF",
      Buffer.from("MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0".repeat(50), "latin1"),
      "a.pdf",
      undefined,
      "unsupported_type",
    ],
    ["a path out of the folder", "text", "a.txt", "../a.txt", "validation"],
    ["a device name", "text", "a.txt", "sub/CON.txt", "validation"],
  ]
  test.for(cases)("%s", async ([, content, name, path, code]) => {
    await expect(upload(content, name, path)).rejects.toMatchObject({ code })
    expect(await readdir(folder.folder, { recursive: true })).toEqual([])
    expect(await readdir(join(server.dataDir, "uploads")).catch(() => [])).toEqual([])
  })

  test("text in a folder with the light pipeline", async () => {
    folder = (await client.folders.create({ body: { name: "Scans", pipeline: "light" } })).vector
    const details = { reason: { code: "light_only" } }
    await expect(upload("text", "a.txt")).rejects.toMatchObject({ code: "unsupported_type", details })
  })
})

describe("replacing", () => {
  // Catches a changed ID, old text that is still found, and old bytes that are lost.
  test("keeps the ID, updates the text and keeps the old bytes in the trash", async () => {
    const { id } = await upload("The meeting is in Oslo.", "plan.txt", "office/plan.txt")
    await server.ingestion.whenIdle()
    const file = new Blob(["The meeting is in Lisbon."])
    const receipt = await client.files.replace({ ...getParams(id), file, fileName: "plan.txt" })
    expect(receipt.files[0]).toMatchObject({
      id,
      filename: "plan.txt",
      relativePath: `${folder.id}/office/plan.txt`,
    })
    expect(await search("Oslo")).toEqual([])
    await server.ingestion.whenIdle()
    expect(await search("Oslo")).toEqual([])
    expect(await search("Lisbon")).toMatchObject([{ fileId: id }])
    expect(await readFile(join(folder.folder, "office", "plan.txt"), "utf8")).toBe(
      "The meeting is in Lisbon.",
    )
    expect(await trashed()).toContain("plan.txt")
    expect((await client.files.list({ params: { id: folder.id } })).total).toBe(1)
  })

  // Catches an old file that stays, or another file that is overwritten, when the replacement has another name.
  test("uses the new name in the same sub-folder", async () => {
    const { id } = await upload("old", "old.txt", "work/old.txt")
    await upload("other", "new.md", "work/new.md")
    const receipt = await client.files.replace({
      ...getParams(id),
      file: new Blob(["new"]),
      fileName: "new.md",
    })
    expect(receipt.files[0]).toMatchObject({ id, filename: "new (2).md" })
    expect((await readdir(join(folder.folder, "work"))).sort()).toEqual(["new (2).md", "new.md"])
  })

  // Catches a failed replacement that removes the old file.
  test("changes nothing if the type isn't supported", async () => {
    const { id } = await upload("old", "old.txt")
    const file = new Blob([Buffer.from("7z\xbc\xaf\x27\x1c\0\0\0\0".repeat(99), "latin1")])
    await expect(client.files.replace({ ...getParams(id), file, fileName: "old.txt" })).rejects.toMatchObject(
      {
        status: 422,
      },
    )
    expect(await readFile(join(folder.folder, "old.txt"), "utf8")).toBe("old")
  })
})

describe("content", () => {
  const get = (id: string, headers: Record<string, string>, method = "GET") =>
    fetch(`${server.url}/api/public/vectors/${folder.id}/files/${id}/content`, {
      method,
      headers: { "x-api-key": "alice", ...headers },
    })

  // Catches wrong ranges, a download that is displayed in the page, and names that break the header.
  test("supports ranges, conditions and a safe download", async () => {
    const { id } = await upload("0123456789", 'Ärger "1".txt')
    const whole = await get(id, {})
    const etag = whole.headers.get("etag") ?? ""
    expect(whole.headers.get("content-disposition")).toMatch(
      /^attachment; filename=.*filename\*=UTF-8''%C3%84rger%20_1_\.txt$/,
    )
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff")
    expect(await whole.text()).toBe("0123456789")

    const cases: [Record<string, string>, number, string, string | null][] = [
      [{ range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
      [{ range: "bytes=-3" }, 206, "789", "bytes 7-9/10"],
      [{ range: "bytes=8-" }, 206, "89", "bytes 8-9/10"],
      [{ range: "bytes=0-99" }, 206, "0123456789", "bytes 0-9/10"],
      [{ range: "bytes=-99" }, 206, "0123456789", "bytes 0-9/10"],
      [{ range: "bytes=0-1,2-4" }, 206, "01234", "bytes 0-4/10"],
      [{ range: "bytes=x-" }, 200, "0123456789", null],
      [{ range: "lines=20-" }, 200, "0123456789", null],
      [{ range: "bytes=0-1,4-5" }, 200, "0123456789", null],
      [{ range: "lines=1-2" }, 200, "0123456789", null],
      [{ range: "bytes=4-2" }, 200, "0123456789", null],
      [{ range: "bytes=2-4", "if-range": etag }, 206, "234", "bytes 2-4/10"],
      [{ range: "bytes=2-4", "if-range": '"other"' }, 200, "0123456789", null],
      [{ "if-none-match": etag }, 304, "", null],
      [{ "if-none-match": '"other"' }, 200, "0123456789", null],
    ]
    for (const [headers, status, text, range] of cases) {
      const response = await get(id, headers)
      expect(response.status, JSON.stringify(headers)).toBe(status)
      expect(await response.text()).toBe(text)
      expect(response.headers.get("content-range")).toBe(range)
    }
    const outside = await get(id, { range: "bytes=20-30" })
    expect(outside.status).toBe(416)
    expect(outside.headers.get("content-range")).toBe("bytes */10")
    expect(outside.headers.get("content-type")).toMatch(/^application\/json/)
    expect(await outside.json()).toMatchObject({ code: "range_not_satisfiable" })
    const head = await get(id, {}, "HEAD")
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""])
  })

  // Catches an error for empty files, and links that someone put in the place of a file.
  test("handles an empty file, a file that became a link, and a missing one", async () => {
    const empty = await upload("", "empty.txt")
    expect(await (await get(empty.id, {})).text()).toBe("")
    expect((await get(empty.id, { range: "bytes=-1" })).status).toBe(200)
    const { id } = await upload("mine", "mine.txt")
    await rm(join(folder.folder, "mine.txt"))
    expect((await get(id, {})).status).toBe(404)
    await symlink(join(server.dataDir, "casella.sqlite"), join(folder.folder, "mine.txt"))
    expect((await get(id, {})).status).toBe(404)
  })

  // Catches a response for bytes that are only in a cloud drive.
  test("returns 415 for a file whose bytes are in a cloud drive", async () => {
    const { id } = await upload("mine", "cloud.txt")
    await server.db.updateTable("files").set({ storage: "cloud" }).where("id", "=", id).execute()
    expect((await get(id, {})).status).toBe(415)
  })
})

describe("the list", () => {
  // Catches paging that skips or repeats, filters on the wrong field, and case folding limited to ASCII.
  test("is paged, filtered by status and searched by name in any language", async () => {
    for (const name of ["ÄPFEL.txt", "Birnen.md", "straße.txt", "100%.txt"]) await upload("text", name)
    await upload("", "leer.txt")
    await server.ingestion.whenIdle()
    const list = async (query: Record<string, string | number>) => {
      const page = await client.files.list({ params: { id: folder.id }, query })
      return { total: page.total, names: page.files.map((file) => file.name) }
    }
    expect(await list({ limit: 2, offset: 1 })).toEqual({ total: 5, names: ["Birnen.md", "straße.txt"] })
    expect(await list({ search: "äpf" })).toEqual({ total: 1, names: ["ÄPFEL.txt"] })
    expect(await list({ search: "txt STRA" })).toEqual({ total: 1, names: ["straße.txt"] })
    expect(await list({ search: "%" })).toEqual({ total: 1, names: ["100%.txt"] })
    expect(await list({ status: "completed", search: ".TXT" })).toMatchObject({ total: 4 })
    expect(await list({ status: "failed" })).toEqual({ total: 0, names: [] })
    for (const query of [{ limit: 0 }, { limit: 501 }, { offset: -1 }, { status: "odd" }]) {
      await expect(list(query), JSON.stringify(query)).rejects.toMatchObject({ status: 400 })
    }
  })
})

describe("other people", () => {
  // Catches an operation that doesn't check the folder's owner, and file IDs that work in another folder.
  test("get 403 for files of a private folder, and may only read those of a shared one", async () => {
    const { id } = await upload("text", "mine.txt")
    await server.ingestion.whenIdle()
    const bob = server.getClient("bob")
    const file = new Blob(["x"])
    const params = { id: folder.id }
    const reads: (() => Promise<unknown>)[] = [
      () => bob.files.list({ params }),
      () => bob.files.read(getParams(id)),
      () => bob.files.content(getParams(id)),
      () => bob.files.text(getParams(id)),
    ]
    const writes: (() => Promise<unknown>)[] = [
      () => bob.files.upload({ params, file, fileName: "b.txt" }),
      () => bob.files.replace({ ...getParams(id), file, fileName: "b.txt" }),
      () => bob.files.retry(getParams(id)),
      () => bob.files.retryFailed({ params }),
      () => bob.files.remove(getParams(id)),
    ]
    for (const call of [...reads, ...writes])
      await expect(call()).rejects.toMatchObject({ code: "forbidden" })
    await client.folders.update({ params, body: { visibility: "TEAM" } })
    for (const call of reads) await expect(call()).resolves.toBeDefined()
    for (const call of writes) await expect(call()).rejects.toMatchObject({ code: "forbidden" })
    const carol = server.getClient("carol")
    await expect(carol.files.read(getParams(id))).rejects.toMatchObject({ code: "forbidden" })

    const own = (await bob.folders.create({ body: { name: "Bob" } })).vector
    await expect(bob.files.read(getParams(id, own.id))).rejects.toMatchObject({ code: "not_found" })
    await expect(bob.files.remove(getParams(id, own.id))).rejects.toMatchObject({ code: "not_found" })
    await expect(bob.files.list({ params: { id: "unknown" } })).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("reading a file", () => {
  // Catches text that is returned before it is complete, and retries that do nothing or damage a completed file.
  test("can be retried", async () => {
    const { id } = await upload("{ not json", "broken.txt")
    await server.ingestion.whenIdle()
    await server.db
      .updateTable("files")
      .set({ status: "failed", error: "Something." })
      .where("id", "=", id)
      .execute()
    await expect(client.files.text(getParams(id))).rejects.toMatchObject({ code: "conflict" })
    expect((await client.files.retry(getParams(id))).file).toMatchObject({
      error: null,
      attempts: expect.any(Number),
    })
    await server.ingestion.whenIdle()
    expect((await client.files.read(getParams(id))).file).toMatchObject({ status: "completed", attempts: 1 })
    await client.files.retry(getParams(id))
    await server.ingestion.whenIdle()
    expect(await search("json")).toHaveLength(1)
  })

  // Catches a button that retries more than the failed files, only the first of many, or files in another folder.
  test("can be retried for all failed files at once", async () => {
    const otherFolder = (await client.folders.create({ body: { name: "Elsewhere" } })).vector
    const ids: string[] = []
    for (const [name, into] of [
      ["one.txt", folder.id],
      ["two.txt", folder.id],
      ["fine.txt", folder.id],
      ["other.txt", otherFolder.id],
    ] as const) {
      const receipt = await client.files.upload({
        params: { id: into },
        file: new Blob([name]),
        fileName: name,
      })
      ids.push(receipt.files[0]?.id ?? "")
    }
    await server.ingestion.whenIdle()
    await server.db
      .updateTable("files")
      .set({ status: "failed", phase: "failed", error: "Something." })
      .where("name", "!=", "fine.txt")
      .execute()
    expect(await client.files.retryFailed({ params: { id: folder.id } })).toEqual({ queued: 2 })
    await server.ingestion.whenIdle()
    const rows = await server.db
      .selectFrom("files")
      .select("status")
      .where("id", "in", ids)
      .orderBy("id")
      .execute()
    expect(rows.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "failed"])
    expect(await client.files.retryFailed({ params: { id: folder.id } })).toEqual({ queued: 0 })
  })

  // Catches a missing reason: users must see why nothing is found.
  test("completes a file without text with a note, and skips an unsupported type with the reason", async () => {
    const empty = await upload("   \n", "blank.txt")
    await writeFile(join(folder.folder, "tool.exe"), Buffer.from("MZ\x90\0\x03\0\0\0".repeat(99), "latin1"))
    await server.files.release(folder.id)
    await server.files.follow(folder.id)
    expect(await server.fileIs("tool.exe", "skipped")).toMatchObject({
      phase: "done",
      progress: 100,
      error: expect.stringMatching(/\.$/),
    })
    await server.ingestion.whenIdle()
    expect((await client.files.read(getParams(empty.id))).file).toMatchObject({
      status: "completed",
      note: expect.stringContaining("No text"),
    })
  })
})

// Catches a trash that is never emptied, and one that is emptied too early.
test("keeps the trash for 30 days", async () => {
  const { id } = await upload("text", "old-letter.txt")
  await client.files.remove(getParams(id))
  const days = 24 * 3_600_000
  await server.trash.purge(Date.now() + 29 * days)
  expect(await trashed()).toContain("old-letter.txt")
  await server.trash.purge(Date.now() + 32 * days)
  expect(await trashed()).toEqual([])
  expect(existsSync(join(server.dataDir, "trash"))).toBe(true)
})
