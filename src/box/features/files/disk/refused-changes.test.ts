import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Database } from "../../../core/database/database.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let base: string
let dataDir: string
let server: FolderServer
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "casella-refused-"))
  dataDir = join(base, "data")
  server = await startFolderServer({ dataDir })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

/** Makes SQLite refuse these writes until the next start, as a disk that becomes full during a write does. */
async function refuse(db: Database, ...writes: string[]): Promise<void> {
  for (const [number, write] of writes.entries()) {
    const name = sql.id(`refusal${number}`)
    await sql`CREATE TRIGGER ${name} BEFORE ${sql.raw(write)} BEGIN SELECT RAISE(ABORT, 'no room'); END`.execute(
      db,
    )
  }
}

async function restart(): Promise<void> {
  const triggers = await sql<{
    name: string
  }>`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'refusal%'`.execute(server.db)
  for (const { name } of triggers.rows) await sql`DROP TRIGGER ${sql.id(name)}`.execute(server.db)
  await server[Symbol.asyncDispose]()
  server = await startFolderServer({ dataDir })
}

async function makeFolder() {
  const client = server.getClient("alice")
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  const { files } = await client.files.upload({ params, file: new Blob(["old"]), fileName: "old.txt" })
  await server.fileIs("old.txt", "completed")
  return { vector, params, fileId: files[0]?.id ?? "" }
}

/** Returns the folder's content as its owner sees it, after it was read. */
async function contents(params: { id: string }) {
  const { files } = server.getClient("alice")
  await server.ingestion.whenIdle()
  const shown = await files.list({ params })
  return Promise.all(
    shown.files.map(async ({ id, name, status }) => {
      const text = await (await files.content({ params: { ...params, fileId: id } })).text()
      return [id, name, status, text]
    }),
  )
}

// Catches a deletion that happens after it was refused, or one that removes the bytes but not the row.
it.each([
  [["INSERT ON deletions"]],
  [["UPDATE OF folderId ON files"]],
  [["UPDATE OF folderId ON files", "DELETE ON unfinishedChanges"]],
])("keeps the file if SQLite refuses its deletion (%s), even after a restart", async (writes) => {
  const { vector, params, fileId } = await makeFolder()
  const whole = [[fileId, "old.txt", "completed", "old"]]
  await refuse(server.db, ...writes)
  await expect(
    server.getClient("alice").files.remove({ params: { ...params, fileId } }),
  ).rejects.toMatchObject({ code: "internal" })
  expect(await contents(params)).toEqual(whole)
  await restart()
  expect(await contents(params)).toEqual(whole)
  expect(await readdir(vector.folder)).toEqual(["old.txt"])
  await server.getClient("alice").files.remove({ params: { ...params, fileId } })
  expect(await contents(params)).toEqual([])
})

/** Follows a user's own directory that contains a file. */
async function followFolder() {
  const folder = join(base, "documents")
  await mkdir(folder)
  await writeFile(join(folder, "old.txt"), "old")
  const { vector } = await server.getClient("alice").folders.create({ body: { name: "Documents", folder } })
  const { id: fileId } = await server.fileIs("old.txt", "completed")
  return { vector, params: { id: vector.id }, fileId }
}

// Catches a refused replacement whose bytes stay, whether the first write (another program's lock) or a later one was refused.
it.each([
  ["a managed", "INSERT ON unfinishedChanges", makeFolder],
  ["a managed", "UPDATE OF revision ON files", makeFolder],
  ["a followed", "INSERT ON unfinishedChanges", followFolder],
  ["a followed", "UPDATE OF revision ON files", followFolder],
])("keeps the old bytes if a replacement in %s folder is refused by SQLite (%s)", async (_, write, make) => {
  const { vector, params, fileId } = await make()
  await refuse(server.db, write)
  const file = new Blob(["new"])
  const { files } = server.getClient("alice")
  await expect(
    files.replace({ params: { ...params, fileId }, file, fileName: "old.txt" }),
  ).rejects.toMatchObject({ code: "internal" })
  await restart()
  expect(await contents(params)).toEqual([[fileId, "old.txt", "completed", "old"]])
  expect(await readdir(vector.folder)).toEqual(["old.txt"])
})

// Catches a version saved under an upload's name that is removed with the refused upload.
it("keeps what is saved under an upload's name when the upload is refused", async () => {
  const { params, vector } = await followFolder()
  const holder = new SqliteDatabase(join(dataDir, "casella.sqlite"), { timeout: 0 })
  await waitFor(() => holder.exec("BEGIN IMMEDIATE")) // retries because the server may be writing
  const path = join(vector.folder, "new.txt")
  const { files } = server.getClient("alice")
  const refused = expect(
    files.upload({ params, file: new Blob(["sent"]), fileName: "new.txt" }),
  ).rejects.toMatchObject({ code: "unavailable" })
  await expect.poll(() => readFile(path, "utf8").catch(() => null), { interval: 1 }).toBe("sent")
  await writeFile(path, "mine")
  await refused
  holder.close()
  expect(await readFile(path, "utf8")).toBe("mine")
  expect((await readdir(vector.folder)).toSorted()).toEqual(["new.txt", "old.txt"])
})

// Catches changes in one folder that wait for another program's lock one after another, 5 s each, or leave a trace.
it("refuses all changes of a folder together when another program holds the lock", async () => {
  const { params, vector, fileId } = await makeFolder()
  const client = server.getClient("alice")
  const holder = new SqliteDatabase(join(dataDir, "casella.sqlite"), { timeout: 0 })
  await waitFor(() => holder.exec("BEGIN EXCLUSIVE")) // retries because the server may be writing
  const file = new Blob(["new"])
  const upload = (fileName: string) => client.files.upload({ params, file, fileName })
  const changes = [
    upload("one.txt"),
    upload("two.txt"),
    client.files.replace({ params: { ...params, fileId }, file, fileName: "old.txt" }),
    client.files.remove({ params: { ...params, fileId } }),
    upload("three.txt"),
  ]
  const outcomes = Promise.allSettled(changes)
  await Promise.race(changes).catch(() => undefined)
  const creating = client.folders.create({ body: { name: "Later" } }).then(() => "done", String)
  expect(await Promise.race([outcomes.then(() => "refused"), creating])).toBe("refused")
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ reason: { status: 503, code: "unavailable" } })
  await creating
  holder.close()
  expect(await contents(params)).toEqual([[fileId, "old.txt", "completed", "old"]])
  expect(await readdir(vector.folder)).toEqual(["old.txt"])
})
