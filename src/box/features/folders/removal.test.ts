import { once } from "node:events"
import { mkdtemp, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { sql } from "kysely"
import { afterEach, expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { endDeletions } from "../deletions/store.ts"
import { startBoxProcess, killsItself, startFaultyBox } from "../../testing/box-process.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"
import { startTestBox, getRows } from "../../testing/test-box.ts"

let server: FolderServer | undefined
afterEach(async () => {
  await server?.[Symbol.asyncDispose]()
  server = undefined
})

async function makeFolder({ getClient }: Pick<FolderServer, "getClient">) {
  const { folders, files } = getClient("alice")
  const { vector } = await folders.create({ body: { name: "Handbook" } })
  const params = { id: vector.id }
  await files.upload({ params, file: new Blob(["walrus"]), fileName: "a.txt" })
  return params
}

// Catches a folder that is listed without its files, and rows and passages of a deleted folder that are never removed.
it.each(["before", "after"] as const)(
  "the next start finishes a deletion that is interrupted %s the directory is removed",
  async (when) => {
    const dataDir = await mkdtemp(join(tmpdir(), "casella-cut-folder-"))
    const box = await startBoxProcess(dataDir)
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const params = await makeFolder({ getClient: () => client })
    await client.folders.remove({ params })
    await box.stop()
    const stopped = await getRows(dataDir)
    await endDeletions(stopped.db)
    await stopped[Symbol.asyncDispose]()
    const faulty = await startFaultyBox(killsItself(when, "rename", /\/folders\/[^/]+$/), dataDir)
    if (faulty.child.exitCode === null && faulty.child.signalCode === null) await once(faulty.child, "exit")
    expect(faulty.child.signalCode).toBe("SIGKILL")

    await using again = await startTestBox({ dataDir }) // also removes the data directory
    const { folders } = again.getClient(key)
    expect((await folders.list()).vectors).toEqual([])
    await expect(folders.read({ params })).rejects.toMatchObject({ code: "not_found" })
    await expect.poll(() => readdir(join(dataDir, "folders"))).toEqual([])
    const database = new SqliteDatabase(join(dataDir, "casella.sqlite"), { readonly: true })
    const rows = () => database.prepare("SELECT id FROM folders UNION ALL SELECT id FROM files").all()
    await expect.poll(rows).toEqual([])
    database.close()
  },
)

// Catches a folder that is no longer followed or read after its deletion failed, for example on a full disk.
it("a folder keeps working if SQLite refuses its deletion", async () => {
  server = await startFolderServer()
  const { folders, files } = server.getClient("alice")
  const params = await makeFolder(server)
  await sql`CREATE TRIGGER refusal BEFORE UPDATE ON folders BEGIN SELECT RAISE(ABORT, 'no room'); END`.execute(
    server.db,
  )
  await expect(folders.remove({ params })).rejects.toMatchObject({ code: "internal" })
  await files.upload({ params, file: new Blob(["otter"]), fileName: "b.txt" })
  await server.fileIs("a.txt", "completed")
  await server.fileIs("b.txt", "completed")
})

// Catches a half-deleted folder that stays visible when its files can't be removed.
it("the next start removes the contents of a deleted folder if they can't be removed now", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-held-folder-"))
  server = await startFolderServer({ dataDir })
  const { folders } = server.getClient("alice")
  const params = await makeFolder(server)
  await sql`CREATE TRIGGER refusal BEFORE DELETE ON files BEGIN SELECT RAISE(ABORT, 'no room'); END`.execute(
    server.db,
  )
  await folders.remove({ params })
  await server.endDeletions()
  expect((await folders.list()).vectors).toEqual([])
  expect(await server.db.selectFrom("files").select("id").execute()).toHaveLength(1)
  await sql`DROP TRIGGER refusal`.execute(server.db)
  await server[Symbol.asyncDispose]()
  server = await startFolderServer({ dataDir })
  for (const table of ["folders", "files"] as const)
    expect(await server.db.selectFrom(table).select("id").execute()).toEqual([])
})

// Catches an empty directory left in the data directory for each folder whose creation failed because of a lock or a full disk.
it("a folder that SQLite refuses to store leaves no directory", async () => {
  server = await startFolderServer()
  const { folders } = server.getClient("alice")
  await folders.create({ body: { name: "Handbook" } })
  await sql`CREATE TRIGGER refusal BEFORE INSERT ON folders BEGIN SELECT RAISE(ABORT, 'no room'); END`.execute(
    server.db,
  )
  await expect(folders.create({ body: { name: "Another" } })).rejects.toMatchObject({ code: "internal" })
  expect(await readdir(join(server.dataDir, "folders"))).toHaveLength(1)
})
