import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { FilingDraft } from "../../../shared/contract/filing.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let from: string
let to: string
beforeEach(async () => {
  box = await startTestBox()
  from = await folder("Inbox")
  to = await folder("Archive")
})
afterEach(() => box[Symbol.asyncDispose]())

const folder = async (name: string, path?: string) =>
  (await box.client.folders.create({ body: { name, ...(path !== undefined && { folder: path }) } })).vector.id
const listFiles = async (id: string) => (await box.client.files.list({ params: { id }, query: {} })).files
async function upload(text = "Penguins swim well.", fileName = "scan1.txt"): Promise<string> {
  const receipt = await box.client.files.upload({ params: { id: from }, file: new Blob([text]), fileName })
  const id = receipt.files[0]?.id ?? ""
  await indexed(from, id)
  return id
}
async function indexed(id: string, fileId: string): Promise<void> {
  await expect
    .poll(async () => (await box.client.files.read({ params: { id, fileId } })).file.status)
    .toBe("completed")
}
const file = (body: FilingDraft) => box.client.filing.file({ body })
const undo = (id: string) => box.client.filing.undo({ params: { id } })
const getText = async (id: string, fileId: string) =>
  (await box.client.files.content({ params: { id, fileId } })).text()
async function found(query: string): Promise<string[]> {
  const { results } = await box.client.folders.search({ body: { query, vector: [from, to] } })
  return results.map(({ fileName, vectorId }) => `${vectorId === from ? "Inbox" : "Archive"}/${fileName}`)
}

// Catches a file that gets another ID, loses its text or bytes, isn't found in its location, or comes back under another name.
test("renaming and moving keep a file's ID, text and bytes, and undo restores it exactly", async () => {
  const fileId = await upload()
  const renamed = await file({ action: "rename", fileId, name: "2026 ACME" })
  expect(renamed.file).toMatchObject({ id: fileId, name: "2026 ACME.txt", status: "completed" })
  const moved = await file({ action: "move", fileId, vectorId: to, folder: "2026/march" })
  expect(moved.file).toMatchObject({ id: fileId, name: "2026 ACME.txt", folder: "2026/march" })
  expect(await listFiles(from)).toEqual([])
  expect(await getText(to, fileId)).toBe("Penguins swim well.")
  expect(await found("penguins swim")).toEqual(["Archive/2026 ACME.txt"])
  await expect(undo(renamed.filing.id)).rejects.toMatchObject({ code: "conflict" })
  await undo(moved.filing.id)
  await undo(renamed.filing.id)
  expect(await listFiles(from)).toMatchObject([
    { id: fileId, name: "scan1.txt", folder: "", status: "completed" },
  ])
  expect(await listFiles(to)).toEqual([])
  expect(await found("penguins swim")).toEqual(["Inbox/scan1.txt"])
  expect((await box.client.files.trash({})).count).toBe(0)
  await expect(undo(moved.filing.id)).rejects.toMatchObject({ code: "conflict" })
})

// Catches a rename or an undo that overwrites another file, and an undo that adds a number to the name.
test("a name that is taken is refused, also by undo, and nothing changes", async () => {
  const fileId = await upload()
  await upload("Walruses rest.", "b.txt")
  await expect(file({ action: "rename", fileId, name: "b.txt" })).rejects.toMatchObject({ code: "conflict" })
  expect((await listFiles(from)).map(({ name }) => name).toSorted()).toEqual(["b.txt", "scan1.txt"])
  expect(await getText(from, fileId)).toBe("Penguins swim well.")
  const { filing } = await file({ action: "move", fileId, vectorId: to, folder: "" })
  await upload("Another one.", "scan1.txt")
  await expect(undo(filing.id)).rejects.toMatchObject({ code: "conflict" })
  expect(await listFiles(to)).toMatchObject([{ id: fileId, name: "scan1.txt", status: "completed" }])
  expect(await found("penguins swim")).toContain("Archive/scan1.txt")
  expect((await box.client.filing.list({ query: {} })).filings).toMatchObject([
    { action: "move", undoneAt: null },
  ])
})

// Catches a move that changes the bytes, dates or permissions of people's own files, or leaves files behind in their directory.
test("files of a followed directory are moved on disk and keep their dates and permissions", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-filing-"))
  try {
    await mkdir(join(directory, "in"))
    await writeFile(join(directory, "in", "a.txt"), "Penguins.", { mode: 0o640 })
    await utimes(join(directory, "in", "a.txt"), 1_600_000_000, 1_600_000_000)
    const own = await folder("Own", directory)
    await expect.poll(async () => (await listFiles(own)).map(({ status }) => status)).toEqual(["completed"])
    const fileId = (await listFiles(own))[0]?.id ?? ""
    const { filing } = await file({ action: "move", fileId, vectorId: own, folder: "out/deep" })
    const movedStats = await stat(join(directory, "out", "deep", "a.txt"))
    expect([movedStats.mtimeMs, movedStats.mode & 0o777]).toEqual([1_600_000_000_000, 0o640])
    await expect(stat(join(directory, "in", "a.txt"))).rejects.toMatchObject({ code: "ENOENT" })
    await undo(filing.id)
    const back = await stat(join(directory, "in", "a.txt"))
    expect([back.mtimeMs, back.mode & 0o777]).toEqual([1_600_000_000_000, 0o640])
    expect(await readFile(join(directory, "in", "a.txt"), "utf8")).toBe("Penguins.")
    expect(await listFiles(own)).toMatchObject([{ id: fileId, folder: "in" }])
  } finally {
    await rm(directory, { recursive: true })
  }
})

// Catches tags that pile up or aren't shown, a note that isn't a file in the folder, and changes that can't be undone.
test("tags and notes are shown, found by search and undone", async () => {
  const fileId = await upload()
  const first = await file({ action: "tag", fileId, tags: ["birds", "birds", "2026"] })
  expect(first.file.tags).toEqual(["birds", "2026"])
  const { files } = await box.client.files.list({ params: { id: from }, query: { search: "Bird" } })
  expect(files).toMatchObject([{ id: fileId }])
  const second = await file({ action: "tag", fileId, tags: [] })
  await expect(undo(first.filing.id)).rejects.toMatchObject({ code: "conflict" })
  await undo(second.filing.id)
  expect((await listFiles(from))[0]?.tags).toEqual(["birds", "2026"])
  const note = await file({ action: "note", fileId, content: "# About\n\nWalruses rest." })
  expect(note.file).toMatchObject({ name: "scan1.txt.md", folder: "" })
  await indexed(from, note.file.id)
  expect(await found("walruses rest")).toContain("Inbox/scan1.txt.md")
  await undo(note.filing.id)
  expect(await listFiles(from)).toMatchObject([{ id: fileId }])
  expect((await box.client.files.trash({})).files).toMatchObject([{ name: "scan1.txt.md" }])
})

// Catches a history that lacks what was done, who did it, or the values before and after.
test("a file's history lists what was done with it", async () => {
  const fileId = await upload()
  const { filing } = await file({ action: "move", fileId, vectorId: to, folder: "2026" })
  await undo(filing.id)
  const { history } = await box.client.filing.history({ params: { id: from, fileId } })
  const of = { action: "move", filingId: filing.id, by: expect.any(String), chatId: null }
  expect(history).toMatchObject([
    { step: "undone", ...of },
    { step: "done", ...of, from: "Inbox", to: "Archive/2026" },
  ])
})

// Catches a user who files another person's files, reads their history, or undoes another person's changes.
test("only the owner of a folder can file its contents", async () => {
  const fileId = await upload()
  const { filing } = await file({ action: "rename", fileId, name: "b.txt" })
  await box.client.folders.update({ params: { id: from }, body: { visibility: "PUBLIC" } })
  const other = await addUser(box, "eve@example.com")
  const none = { code: "not_found" }
  const own = (await other.folders.create({ body: { name: "Own" } })).vector.id
  const drafts: FilingDraft[] = [
    { action: "rename", fileId, name: "c.txt" },
    { action: "move", fileId, vectorId: own, folder: "" },
    { action: "tag", fileId, tags: ["mine"] },
    { action: "note", fileId, content: "I was here." },
  ]
  for (const body of drafts) await expect(other.filing.file({ body })).rejects.toMatchObject(none)
  await expect(file({ action: "move", fileId, vectorId: own, folder: "" })).rejects.toMatchObject(none)
  await expect(other.filing.undo({ params: { id: filing.id } })).rejects.toMatchObject(none)
  await expect(other.filing.history({ params: { id: from, fileId } })).rejects.toMatchObject(none)
  expect((await other.filing.list({ query: { fileId } })).filings).toEqual([])
})

// Catches a path that leads out of a folder, a name reserved by the system or the server, and a file that changes its type.
test.each([
  { action: "move", folder: "../../etc" },
  { action: "move", folder: "/etc" },
  { action: "move", folder: "a\0b" },
] as const)("a location outside the folder is refused: $folder", async ({ folder: subFolder }) => {
  const fileId = await upload()
  await expect(file({ action: "move", fileId, vectorId: to, folder: subFolder })).rejects.toMatchObject({
    code: "validation",
  })
  expect(await listFiles(from)).toMatchObject([{ id: fileId, name: "scan1.txt" }])
})
test("a file keeps its extension, and slashes in a name create no folders", async () => {
  const fileId = await upload()
  expect((await file({ action: "rename", fileId, name: "../../run.sh" })).file).toMatchObject({
    name: "run.sh.txt",
    folder: "",
  })
})

// Catches a file from a folder that stays on this computer moving to where remote models may read it.
test("a file that must stay on this computer doesn't move to a folder that may leave it", async () => {
  const fileId = await upload()
  await box.client.folders.update({ params: { id: from }, body: { remote: "never" } })
  const move = () => file({ action: "move", fileId, vectorId: to, folder: "" })
  await expect(move()).rejects.toMatchObject({ code: "forbidden" })
  await box.client.folders.update({ params: { id: to }, body: { remote: "never" } })
  const { filing } = await move()
  await box.client.folders.update({ params: { id: from }, body: { remote: "allowed" } })
  const replaced = { file: new Blob(["Secret."]), fileName: "scan1.txt" }
  await box.client.files.replace({ params: { id: to, fileId }, ...replaced })
  await indexed(to, fileId)
  await expect(undo(filing.id)).rejects.toMatchObject({ code: "forbidden" })
  expect(await listFiles(from)).toEqual([])
  expect(await listFiles(to)).toMatchObject([{ id: fileId, name: "scan1.txt" }])
  await box.client.folders.update({ params: { id: to }, body: { remote: "allowed" } })
  await undo(filing.id)
  expect(await listFiles(from)).toMatchObject([{ id: fileId }])
})

// Catches an extension that is lost when the new name is a folder or only an extension, so that the file changes its type.
test("a file keeps its extension whatever its new name is", async () => {
  const fileId = await upload()
  for (const [name, after] of [
    ["a/", "file.txt"],
    [".txt", ".txt.txt"],
    ["..", "file.txt"],
    ["b.TXT", "b.TXT"],
    ["c.pdf", "c.pdf.TXT"],
  ] as const)
    expect((await file({ action: "rename", fileId, name })).file.name).toBe(after)
})

// Catches an undo that removes a note although someone has turned it into their own document since.
test("undo doesn't remove a note that was renamed or moved since", async () => {
  const { filing } = await file({ action: "note", fileId: await upload(), content: "Two chairs." })
  const renamed = await file({ action: "rename", fileId: filing.fileId, name: "Chairs" })
  await expect(undo(filing.id)).rejects.toMatchObject({ code: "conflict" })
  expect(await getText(from, filing.fileId)).toBe("Two chairs.")
  await undo(renamed.filing.id)
  await undo(filing.id)
  expect((await listFiles(from)).map(({ name }) => name)).toEqual(["scan1.txt"])
})
