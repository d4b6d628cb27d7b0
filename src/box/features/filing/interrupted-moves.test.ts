import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { newId, timestamp } from "../../core/ids.ts"
import { getRows, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let box: TestBox
let drive: string
let from: string
let to: string
beforeEach(async () => {
  drive = await mkdtemp(join(tmpdir(), "casella-drive-"))
  await mkdir(join(drive, "Archive"))
  box = await startTestBox()
  from = (await box.client.folders.create({ body: { name: "Inbox" } })).vector.id
  to = (await box.client.folders.create({ body: { name: "Archive", folder: join(drive, "Archive") } })).vector
    .id
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await rm(drive, { recursive: true })
})

const listFiles = async (id: string) => (await box.client.files.list({ params: { id }, query: {} })).files
const getText = async (id: string, fileId: string) =>
  (await box.client.files.content({ params: { id, fileId } })).text()
async function upload(): Promise<string> {
  const file = { file: new Blob(["Penguins."]), fileName: "a.txt" }
  const id = (await box.client.files.upload({ params: { id: from }, ...file })).files[0]?.id ?? ""
  await waitFor(async () => expect((await listFiles(from))[0]?.status).toBe("completed"))
  return id
}

/** Leaves a file as if the server was killed after taking the file out of its folder. Call it while the server is off. */
async function cutMove(
  fileId: string,
  newName?: string,
  status: "moving" | "undoing" = "moving",
): Promise<void> {
  await using rows = await getRows(box.dataDir)
  const { db } = rows
  const trashId = newId()
  const directory = join(box.dataDir, "trash", timestamp().slice(0, 10), trashId)
  await mkdir(directory, { recursive: true })
  const folder = await db.selectFrom("folders").selectAll().where("id", "=", from).executeTakeFirstOrThrow()
  await rename(join(box.dataDir, folder.path, "a.txt"), join(directory, "a.txt"))
  const hidden = { ...folder, id: newId(), managed: 0, removed: 1, paused: 1 }
  await db.insertInto("folders").values(hidden).execute()
  await db.updateTable("files").set({ folderId: hidden.id }).where("id", "=", fileId).execute()
  const filedAs = (vectorId: string, name = "a.txt") =>
    JSON.stringify({ vectorId, folder: "", name, tags: [] })
  const target = newName === undefined ? filedAs(to) : filedAs(from, newName)
  const [before, after] = status === "moving" ? [filedAs(from), target] : [target, filedAs(from)]
  await db
    .insertInto("filings")
    .values({
      id: newId(),
      ownerId: folder.ownerId,
      action: newName === undefined ? "move" : "rename",
      status,
      fileId,
      besideId: null,
      was: before,
      became: after,
      taken: JSON.stringify({ folderId: from, hiddenId: hidden.id, trashId, mode: null }),
      chatId: null,
      callKey: null,
      createdAt: timestamp(),
      undoneAt: null,
    })
    .execute()
}

// Catches a file that stays in no folder because the server was killed during a move, or that arrives without its ID or bytes.
test("the next start finishes a move that was interrupted when the server was killed, and the move can be undone", async () => {
  const fileId = await upload()
  await box.restart({}, () => cutMove(fileId))
  expect(await listFiles(from)).toEqual([])
  expect(await listFiles(to)).toMatchObject([{ id: fileId, name: "a.txt", status: "completed" }])
  expect(await readFile(join(drive, "Archive", "a.txt"), "utf8")).toBe("Penguins.")
  const { filings } = await box.client.filing.list({ query: {} })
  await box.client.filing.undo({ params: { id: filings[0]?.id ?? "" } })
  expect(await listFiles(from)).toMatchObject([{ id: fileId }])
  expect(await readdir(join(drive, "Archive"))).toEqual([])
})

// Catches a restart that finishes a move or an undo although the file's folder stays on this computer.
test("a file goes back if its folder stays on this computer and the other folder may leave it", async () => {
  const fileId = await upload()
  await box.client.folders.update({ params: { id: from }, body: { remote: "never" } })
  for (const status of ["moving", "undoing"] as const) {
    await box.restart({}, () => cutMove(fileId, undefined, status))
    expect(await listFiles(from), status).toMatchObject([{ id: fileId, name: "a.txt" }])
    expect(await listFiles(to), status).toEqual([])
  }
  expect(await getText(from, fileId)).toBe("Penguins.")
  expect((await box.client.filing.list({ query: {} })).filings).toMatchObject([{ undoneAt: null }])
})

// Catches emptying the trash when it deletes the only bytes of a file whose new location isn't available at the moment.
test("a file waits for its new location, and emptying the trash keeps the file until then", async () => {
  const fileId = await upload()
  await box.restart({}, async () => {
    await cutMove(fileId)
    await rename(join(drive, "Archive"), join(drive, "Elsewhere"))
  })
  expect([await listFiles(from), await listFiles(to)]).toEqual([[], []])
  await box.client.storage.emptyTrash({})
  await box.restart({}, () => rename(join(drive, "Elsewhere"), join(drive, "Archive")))
  expect(await listFiles(to)).toMatchObject([{ id: fileId }])
  expect(await getText(to, fileId)).toBe("Penguins.")
})

// Catches the deletion of a file's only bytes after 30 days in the trash, while its drive is away for longer.
test("a file waits for its new location longer than the trash keeps deleted files", async () => {
  const fileId = await upload()
  const trash = join(box.dataDir, "trash")
  const then = timestamp(Date.now() - 40 * 86_400_000).slice(0, 10)
  await box.restart({}, async () => {
    await cutMove(fileId)
    const [now = ""] = await readdir(trash)
    await rename(join(trash, now), join(trash, then))
    await mkdir(join(trash, then, "deleted"))
    await rename(join(drive, "Archive"), join(drive, "Elsewhere"))
  })
  await waitFor(async () =>
    expect(await readdir(trash, { recursive: true })).not.toContain(join(then, "deleted")),
  )
  await box.restart({}, () => rename(join(drive, "Elsewhere"), join(drive, "Archive")))
  expect(await listFiles(to)).toMatchObject([{ id: fileId }])
  expect(await getText(to, fileId)).toBe("Penguins.")
})

// Catches a file that is in no folder for as long as another file has its new name.
test("a file goes back if its new name is taken", async () => {
  const fileId = await upload()
  const other = { file: new Blob(["Gulls."]), fileName: "b.txt" }
  const otherId = (await box.client.files.upload({ params: { id: from }, ...other })).files[0]?.id ?? ""
  await box.restart({}, () => cutMove(fileId, "b.txt"))
  const names = new Map((await listFiles(from)).map(({ id, name }) => [id, name]))
  expect(names).toEqual(
    new Map([
      [fileId, "a.txt"],
      [otherId, "b.txt"],
    ]),
  )
  expect([await getText(from, fileId), await getText(from, otherId)]).toEqual(["Penguins.", "Gulls."])
  expect((await box.client.filing.list({ query: {} })).filings).toEqual([])
})

// Catches a file that isn't restored when the deletion of its folder is undone.
test("a file waits while the deletion of its folder can be undone", async () => {
  const fileId = await upload()
  const { undo } = await box.client.folders.remove({ params: { id: from } })
  await box.restart({}, () => cutMove(fileId, "b.txt"))
  await box.client.deletions.undo({ body: { token: undo?.token ?? "" } })
  await box.restart()
  expect(await listFiles(from)).toMatchObject([{ id: fileId, name: "b.txt" }])
  expect(await getText(from, fileId)).toBe("Penguins.")
})

// Catches a file that is deleted with the folder that it never reached.
test("a file goes back if the folder it was moving to is gone", async () => {
  const fileId = await upload()
  await box.client.folders.remove({ params: { id: to } })
  await box.restart({}, () => cutMove(fileId))
  expect(await listFiles(from)).toMatchObject([{ id: fileId, name: "a.txt" }])
  expect(await getText(from, fileId)).toBe("Penguins.")
  expect((await box.client.filing.list({ query: {} })).filings).toEqual([])
})
