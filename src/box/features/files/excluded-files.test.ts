import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest"
import { agileBytes } from "../../parsers/testing/compound-files.ts"
import { makeEncryptedPdf } from "../../parsers/testing/make-pdf.ts"
import { xlsxBytes } from "../../parsers/testing/office-files.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"

let server: FolderServer
beforeEach(async () => {
  server = await startFolderServer()
})
afterEach(() => server[Symbol.asyncDispose]())

const client = () => server.getClient("alice")
const create = async (folder?: string) =>
  (await client().folders.create({ body: { name: "Papers", ...(folder && { folder }) } })).vector
const upload = async (id: string, fileName: string, text: string, lastModified?: string) =>
  (
    await client().files.upload({
      params: { id },
      file: new Blob([text]),
      fileName,
      ...(lastModified !== undefined && { lastModified }),
    })
  ).files[0]?.id ?? ""
const found = async (id: string, query: string) =>
  (await client().folders.search({ body: { query, vector: [id] } })).results.map(({ fileName }) => fileName)

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "casella-left-out-"))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const old = new Date("2019-03-04T05:06:07.000Z")

/** Old enough that the box doesn't wait for further writes to the file. */
async function write(path: string, text: string, modified = old): Promise<void> {
  await writeFile(path, text)
  await utimes(path, modified, modified)
}

// Catches a file that is changed on disk when it is excluded, that is still found, or that is included again by itself.
it("excludes a followed file from the index until it is included again, even if it changes", async () => {
  const path = await directory()
  await write(join(path, "diary.txt"), "The walrus sang at midnight.")
  const { id } = await create(path)
  const file = await server.fileIs("diary.txt", "completed")
  expect(file.modifiedAt).toBe(old.toISOString())
  expect(await found(id, "walrus midnight")).toEqual(["diary.txt"])

  const params = { id, fileId: file.id }
  const { file: out } = await client().files.update({ params, body: { leftOut: true } })
  expect(out).toMatchObject({ status: "skipped", leftOut: true, reasons: [{ code: "left_out" }] })
  expect(await found(id, "walrus midnight")).toEqual([])
  expect(await readFile(join(path, "diary.txt"), "utf8")).toBe("The walrus sang at midnight.")
  expect((await stat(join(path, "diary.txt"))).mtime).toEqual(old)

  await write(join(path, "diary.txt"), "The walrus sang at noon, too.", new Date("2020-01-01T00:00:00Z"))
  await write(join(path, "other.txt"), "Nothing about animals.")
  await server.fileIs("other.txt", "completed")
  expect((await client().files.read({ params })).file).toMatchObject({ status: "skipped", leftOut: true })
  expect(await client().files.retryFailed({ params: { id } })).toEqual({ queued: 0 })

  await rm(join(path, "diary.txt"))
  await server.pushed(({ message }) => message.type === "file.deleted" && message.fileId === file.id)
  await write(join(path, "diary.txt"), "The walrus sang at noon, too.")
  await write(join(path, "third.txt"), "Nothing about plants.")
  await server.fileIs("third.txt", "completed")
  expect((await client().files.read({ params })).file).toMatchObject({ status: "skipped", leftOut: true })

  await client().files.update({ params, body: { leftOut: false } })
  const isIn = async () => (await client().files.read({ params })).file.status === "completed"
  while (!(await isIn())) await server.pushed(({ message }) => message.type === "file")
  expect(await found(id, "walrus noon")).toEqual(["diary.txt"])
  await expect(
    server.getClient("bob").files.update({ params, body: { leftOut: true } }),
  ).rejects.toMatchObject({ code: "forbidden" })
})

// Catches a password, alone or in the same request, that includes a file again that its owner excluded.
it("stays excluded when a password is set", async () => {
  const { id } = await create()
  const fileId = await upload(id, "kept.txt", "The heron stood still.")
  await server.fileIs("kept.txt", "completed")
  const params = { id, fileId }
  const both = await client().files.update({ params, body: { leftOut: true, password: "heron" } })
  expect(both.file).toMatchObject({ status: "skipped", leftOut: true })
  const again = await client().files.update({ params, body: { password: "heron" } })
  expect(again.file).toMatchObject({ status: "skipped", leftOut: true })
})

// Catches a deleted file that can't be restored a minute later although it is in the trash, or that others can take.
it("restores a file from the trash after its deletion can no longer be undone", async () => {
  const { id } = await create()
  const fileId = await upload(id, "plan.txt", "The plan is to wait.")
  await client().files.remove({ params: { id, fileId } })
  await server.endDeletions()
  await upload(id, "plan.txt", "Another plan.")
  const { files } = await client().files.trash()
  const trashed = files.find(({ vectorId }) => vectorId === id)
  expect(trashed).toMatchObject({ name: "plan.txt", size: 20 })
  const params = { id: trashed?.id ?? "" }
  expect((await server.getClient("bob").files.trash()).files).toEqual([])
  await expect(server.getClient("bob").files.putBack({ params })).rejects.toMatchObject({ code: "not_found" })

  const { file } = await client().files.putBack({ params })
  expect(file.name).toBe("plan (2).txt")
  await server.fileIs("plan (2).txt", "completed")
  const content = await client().files.content({ params: { id, fileId: file.id } })
  expect(await content.text()).toBe("The plan is to wait.")
  expect((await client().files.trash()).files.filter(({ vectorId }) => vectorId === id)).toEqual([])
  await expect(client().files.putBack({ params })).rejects.toMatchObject({ code: "not_found" })

  await client().files.remove({ params: { id, fileId: file.id } })
  await server.trash.empty()
  await server.files.forgetLost()
  expect((await client().files.trash()).files.filter(({ vectorId }) => vectorId === id)).toEqual([])
  expect(await server.db.selectFrom("trashedFiles").selectAll().execute()).toEqual([])
})

// Catches a file that stays, another person's file that is deleted, and one that can still be restored afterwards.
it("permanently deletes one file or all from the trash, separately for each person", async () => {
  const { id } = await create()
  const bobs = server.getClient("bob")
  const theirs = (await bobs.folders.create({ body: { name: "Bob's" } })).vector.id
  const removed = async (by: ReturnType<typeof client>, vector: string, name: string) => {
    const params = { id: vector }
    const receipt = await by.files.upload({ params, file: new Blob(["Four"]), fileName: name })
    return by.files.remove({ params: { ...params, fileId: receipt.files[0]?.id ?? "" } })
  }
  await removed(client(), id, "one.txt")
  const { undo } = await removed(client(), id, "two.txt")
  const back = await removed(client(), id, "back.txt")
  await removed(bobs, theirs, "bob.txt")
  expect(await client().files.trash()).toMatchObject({ count: 3, bytes: 12 })
  await client().deletions.undo({ body: { token: back.undo.token } })
  const { files } = await client().files.trash()
  expect(files.map(({ name }) => name)).toEqual(["two.txt", "one.txt"])

  const params = { id: files[1]?.id ?? "" }
  await expect(bobs.files.removeTrashed({ params })).rejects.toMatchObject({ code: "not_found" })
  await client().files.removeTrashed({ params })
  for (const again of [client().files.removeTrashed, client().files.putBack])
    await expect(again({ params })).rejects.toMatchObject({ code: "not_found" })
  expect(await client().files.trash()).toMatchObject({ count: 1, bytes: 4 })

  await client().files.emptyTrash()
  expect(await client().files.trash()).toEqual({ files: [], count: 0, bytes: 0 })
  await expect(client().deletions.undo({ body: { token: undo.token } })).rejects.toMatchObject({
    code: "not_found",
  })
  expect((await bobs.files.trash()).files).toMatchObject([{ name: "bob.txt" }])
})

// Catches an upload dated by when it was sent although its date is known, and one with a date in the future.
it("dates uploads as specified by their senders, and sorts by name, size, date and state", async () => {
  const { id } = await create()
  await upload(id, "b.txt", "middle one", String(old.getTime()))
  await upload(id, "A.txt", "the longest one of all", String(Date.now() + 1e9))
  await upload(id, "c.txt", "one", String(old.getTime() + 1000))
  const names = async (query: object) =>
    (await client().files.list({ params: { id }, query: { limit: 500, offset: 0, ...query } })).files.map(
      ({ name }) => name,
    )
  expect(await names({})).toEqual(["b.txt", "A.txt", "c.txt"])
  expect(await names({ sort: "name" })).toEqual(["A.txt", "b.txt", "c.txt"])
  expect(await names({ sort: "name", order: "desc" })).toEqual(["c.txt", "b.txt", "A.txt"])
  expect(await names({ sort: "size" })).toEqual(["c.txt", "b.txt", "A.txt"])
  expect(await names({ sort: "modified" })).toEqual(["b.txt", "c.txt", "A.txt"])
  expect(await names({ sort: "name", limit: 1, offset: 1 })).toEqual(["b.txt"])
  const { files } = await client().files.list({ params: { id }, query: {} })
  expect(files[0]?.modifiedAt).toBe(old.toISOString())
  expect(Date.parse(files[1]?.modifiedAt ?? "")).toBeLessThanOrEqual(Date.now())
  await expect(upload(id, "d.txt", "x", "yesterday")).rejects.toMatchObject({ code: "validation" })
})

// Catches a moved directory whose files are all treated as new, and a folder that can be pointed at the box's own data.
it("follows a directory at its new location with the same files", async () => {
  const base = await directory()
  await mkdir(join(base, "then"))
  await write(join(base, "then", "lease.txt"), "The heron pays the rent.")
  const { id } = await create(join(base, "then"))
  const { id: fileId } = await server.fileIs("lease.txt", "completed")
  await rename(join(base, "then"), join(base, "now"))
  await server.pushed(({ message }) => message.type === "folder" && message.vectorId === id)
  const update = (folder: string) => client().folders.update({ params: { id }, body: { folder } })
  for (const wrong of [server.dataDir, "/etc", "relative", join(base, "nowhere")])
    await expect(update(wrong), wrong).rejects.toMatchObject({ code: "validation" })

  const { vector } = await update(join(base, "now"))
  expect(vector.folder).toBe(join(base, "now"))
  await write(join(base, "now", "more.txt"), "The heron left.")
  await server.fileIs("more.txt", "completed")
  const { files } = await client().files.list({ params: { id }, query: { sort: "name" } })
  expect(files.map((file) => [file.name, file.status])).toEqual([
    ["lease.txt", "completed"],
    ["more.txt", "completed"],
  ])
  expect(files[0]?.id).toBe(fileId)
  expect(existsSync(join(base, "then"))).toBe(false)
  const own = await create()
  await expect(
    client().folders.update({ params: { id: own.id }, body: { folder: join(base, "now") } }),
  ).rejects.toMatchObject({ code: "validation" })
  await expect(
    server.getClient("bob").folders.update({ params: { id }, body: { folder: base } }),
  ).rejects.toMatchObject({ code: "forbidden" })
})

const words = "The heron hides in the reeds"
const lockedXlsx = agileBytes(xlsxBytes(`<row r="1"><c t="str"><v>${words}</v></c></row>`), "open-sesame")

// Catches an encrypted document that stays locked although its password is known, and a password that is stored.
it.each([
  ["locked.pdf", makeEncryptedPdf(words, "open-sesame"), "encrypted_pdf", "pdf_password_wrong"],
  ["locked.xlsx", lockedXlsx, "encrypted_document", "password_wrong"],
] as const)("reads %s with its password, which is stored nowhere", async (fileName, bytes, needed, wrong) => {
  const { id } = await create()
  const { files } = await client().files.upload({
    params: { id },
    file: new Blob([Uint8Array.from(bytes)]),
    fileName,
  })
  const params = { id, fileId: files[0]?.id ?? "" }
  const settled = async () => {
    for (;;) {
      const { file } = await client().files.read({ params })
      if (file.status === "failed" || file.status === "completed") return file
      await server.pushed(({ message }) => message.type === "file")
    }
  }
  const unlock = async (password: string) => {
    await client().files.update({ params, body: { password } })
    return settled()
  }
  expect((await settled()).reasons).toMatchObject([{ code: needed }])
  expect((await unlock("wrong")).reasons).toMatchObject([{ code: wrong }])
  expect(await unlock("open-sesame")).toMatchObject({ status: "completed", error: null })
  expect(await found(id, "heron reeds")).toEqual([fileName])
  if (fileName === "locked.pdf") {
    expect((await client().files.pages({ params })).pages).toHaveLength(1)
    expect((await client().files.page({ params: { ...params, page: "1" } })).status).toBe(200)
  }
  const stored = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
  for (const entry of stored.filter((one) => one.isFile())) {
    // The index may have removed a file in the meantime.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.of())
    for (const encoding of ["utf8", "utf16le"] as const)
      expect(bytes.includes(Buffer.from("open-sesame", encoding)), entry.name).toBe(false)
  }
})
