import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import { databasePath } from "./start/open-data.ts"
import { mountSmallDisk } from "./testing/disk.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const disk = await mountSmallDisk("100m,nr_inodes=500")
const dataDir = join(disk.path, "data")
const reserve = join(dataDir, "reserve")
let box: TestBox
let client: Client
let folderId: string

async function start(): Promise<void> {
  await box.restart()
  client = box.client
}
const stop = () => box.box[Symbol.asyncDispose]()

/** Prepares a box that ran before, a file in it, and an answer that was being written when the box was killed. */
beforeAll(async () => {
  box = await startTestBox({ dataDir })
  client = box.client
  folderId = (await client.folders.create({ body: { name: "Small" } })).vector.id
  await stop()
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get()
  sqlite
    .prepare(
      `INSERT INTO conversations (ownerId, id, title, foldedTitle, origin, vectorIds, messageCount, streamStatus, createdAt, updatedAt)
      VALUES (?, 'cut', '', '', 'API', '[]', 0, 'active', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
    )
    .run(owner)
  sqlite.close()
})
beforeEach(async () => {
  await start()
  for (const fileId of await fileIds()) await client.files.remove({ params: { id: folderId, fileId } })
  await upload()
  await stop()
  rmSync(reserve, { recursive: true, force: true })
})
afterEach(async () => {
  await stop()
  disk.makeRoom()
})
afterAll(() => disk[Symbol.asyncDispose]())

const upload = () =>
  client.files.upload({ params: { id: folderId }, file: new Blob(["walrus"]), fileName: "walrus.txt" })
const fileIds = async () => (await client.files.list({ params: { id: folderId } })).files.map(({ id }) => id)
const removeOne = async () => {
  const [fileId = ""] = await fileIds()
  return client.files.remove({ params: { id: folderId, fileId } })
}
const backup = async () => {
  await client.storage.startBackup()
  await expect.poll(async () => (await client.storage.backup()).backup?.status).toBe("failed")
  return (await client.storage.backup()).backup?.error
}

/** Creates the reserve as the box does. */
function makeReserve(): void {
  mkdirSync(reserve)
  for (let number = 0; number < 16; number++)
    writeFileSync(join(reserve, String(number)), Buffer.alloc(2 ** 20))
}

describe("A box whose disk is full", { tags: "mount" }, () => {
  // Catches a box that can't start to delete something, and one that a backup stops.
  it.each(["bytes", "files"] as const)("starts and deletes when no %s are left", async (what) => {
    makeReserve()
    disk.fill(what)
    await start()
    expect(await removeOne()).toMatchObject({ deleted: true })
    expect(await client.storage.emptyTrash()).toEqual({ success: true })
    expect(readdirSync(dataDir)).not.toContain("reserve")
  })

  // Catches a reserve that is only used at startup.
  it("deletes when the disk fills while it runs", async () => {
    await start()
    await expect.poll(() => existsSync(reserve) && readdirSync(reserve).length).toBe(16)
    disk.fill()
    expect(await removeOne()).toMatchObject({ deleted: true })
    expect(readdirSync(dataDir)).not.toContain("reserve")
  })

  // Catches a reserve that is assumed to exist, states that stay "active", and a message that recommends a backup that can't succeed.
  it("starts for reading, says why it can't write, and resumes when there is space", async () => {
    disk.fill()
    await start()
    expect(await fileIds()).toHaveLength(1)
    await expect(upload()).rejects.toMatchObject({ code: "disk_full" })
    await expect(removeOne()).rejects.toMatchObject({ code: "disk_full" })
    expect(await client.chat.status({ params: { chatId: "cut" } })).toMatchObject({ status: "error" })
    await expect(backup()).rejects.toMatchObject({ code: "disk_full" }) // The backup's failure couldn't be stored.
    disk.makeRoom()
    expect(await removeOne()).toMatchObject({ deleted: true })
  })

  // Catches a backup that stops the box because its directory can't be created.
  it("survives a backup whose directory can't be created", async () => {
    await start()
    rmSync(join(dataDir, "backups"), { recursive: true, force: true })
    disk.fill("files")
    expect(await backup()).toContain("disk is full")
    expect(await client.account.health()).toMatchObject({ status: "ok" })
  })
})
