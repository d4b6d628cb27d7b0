import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, it } from "vitest"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"

let box: TestBox
let directory: string
beforeAll(async () => {
  box = await startTestBox()
  directory = await mkdtemp(join(tmpdir(), "casella-watched-"))
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

// Catches a second user who can read any file of the person who runs the server.
it("only an owner of the workspace may follow a directory on the computer", async () => {
  const member = await addUser(box, "member@example.com")
  const body = { name: "Mine now", folder: directory }
  await expect(member.folders.create({ body })).rejects.toMatchObject({ code: "forbidden", status: 403 })
  expect((await member.folders.create({ body: { name: "Plain" } })).vector.watched).toBe(false)
  expect((await box.client.folders.create({ body })).vector.watched).toBe(true)
})

// Catches a key that is meant only for folders but can read every document on the computer.
it("a key with the scope folders can create folders but can't follow a directory", async () => {
  const { key } = await box.client.keys.create({ body: { name: "Folders", scopes: ["folders"] } })
  const client = box.getClient(key)
  expect((await client.folders.create({ body: { name: "Plain" } })).vector.watched).toBe(false)
  const attempt = client.folders.create({ body: { name: "All", folder: directory } })
  await expect(attempt).rejects.toMatchObject({ code: "forbidden" })
})

it.each(["relative/path", "/", "/etc", "/nowhere/at/all"])(
  "refuses to follow %s, naming the field",
  async (folder) => {
    const attempt = box.client.folders.create({ body: { name: "Bad", folder } })
    await expect(attempt).rejects.toMatchObject({ code: "validation", details: [{ field: "folder" }] })
  },
)

// Catches secrets from another data directory that are read as documents.
it("refuses to follow a data directory, or a directory inside it", async () => {
  const folder = join(directory, "data", "folders")
  await mkdir(folder, { recursive: true })
  for (const sign of ["casella.json", "casella.sqlite"]) {
    await writeFile(join(directory, "data", sign), "")
    for (const followed of [folder, join(directory, "data")])
      await expect(box.client.folders.create({ body: { name: "Data", folder: followed } })).rejects.toThrow(
        "This contains Casella's own data",
      )
    await rm(join(directory, "data", sign))
  }
})

/** A folder that follows the first of several new directories with the same contents. */
async function followed(...names: string[]) {
  const directories = names.map((name) => join(directory, name))
  for (const target of directories) {
    await mkdir(target)
    await writeFile(join(target, "same.txt"), "Text.")
  }
  const { vector } = await box.client.folders.create({ body: { name: names.join(), folder: directories[0] } })
  const params = { id: vector.id }
  const files = async () => (await box.client.files.list({ params })).files.map(({ name }) => name)
  await expect.poll(files).toEqual(["same.txt"])
  return { params, places: directories, files }
}

// Catches a folder that is no longer followed because its new directory couldn't be stored.
it("keeps following the old directory when a new one can't be stored", { tags: "rows-in-file" }, async () => {
  const { params, places: directories, files } = await followed("here", "there")
  await using database = await getRows(box.dataDir)
  await sql`CREATE TRIGGER refusal BEFORE UPDATE OF path ON folders BEGIN SELECT RAISE(ABORT, 'refused'); END`.execute(
    database.db,
  )
  await expect(box.client.folders.update({ params, body: { folder: directories[1] } })).rejects.toThrow()
  await sql`DROP TRIGGER refusal`.execute(database.db)
  expect((await box.client.folders.read({ params })).vector.folder).toBe(directories[0])
  await writeFile(join(directories[0] ?? "", "later.txt"), "Text.")
  await expect.poll(files).toContain("later.txt")
})

// Catches a folder that shows one directory and follows another after concurrent changes.
it("follows the directory that it shows when several are chosen at once", async () => {
  const { params, places: directories, files } = await followed("before", "one", "other")
  for (let round = 0; round < 3; round++) {
    const chosen = Array.from({ length: 20 }, (_, index) => directories[(index % 2) + 1] ?? "")
    await Promise.all(chosen.map((folder) => box.client.folders.update({ params, body: { folder } })))
    const { folder } = (await box.client.folders.read({ params })).vector
    const other = directories.find((target) => target !== directories[0] && target !== folder) ?? ""
    await writeFile(join(other, `elsewhere-${round}.txt`), "Text.")
    await writeFile(join(folder ?? "", `later-${round}.txt`), "Text.")
    await expect.poll(files).toContain(`later-${round}.txt`)
    expect(await files()).not.toContain(`elsewhere-${round}.txt`)
    // Either directory can be the last one chosen. Both get the same files, because a directory without most of the known files would wait
    // for its owner to confirm that they are gone.
    await writeFile(join(other, `later-${round}.txt`), "Text.")
    await writeFile(join(folder ?? "", `elsewhere-${round}.txt`), "Text.")
  }
})
