import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import { databasePath } from "./start/open-data.ts"
import { mountSmallDisk } from "./testing/small-disk.ts"
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

/** A box that ran before, a file in it, and an answer that it was writing when it was killed. */
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

/** As the box keeps it. */
function makeReserve(): void {
  mkdirSync(reserve)
  for (let number = 0; number < 16; number++)
    writeFileSync(join(reserve, String(number)), Buffer.alloc(2 ** 20))
}

describe("A box whose disk is full", { tags: "mount" }, () => {
  // Would catch: a box that can't be started to delete something, and one that a backup ends.
  it.each(["bytes", "files"] as const)("starts and deletes when no %s are left", async (what) => {
    makeReserve()
    disk.fill(what)
    await start()
    expect(await removeOne()).toMatchObject({ deleted: true })
    expect(await client.storage.emptyTrash()).toEqual({ success: true })
    expect(readdirSync(dataDir)).not.toContain("reserve")
  })

  // Would catch: a reserve that only a start uses.
  it("deletes when the disk fills while it runs", async () => {
    await start()
    await expect.poll(() => existsSync(reserve) && readdirSync(reserve).length).toBe(16)
    disk.fill()
    expect(await removeOne()).toMatchObject({ deleted: true })
    expect(readdirSync(dataDir)).not.toContain("reserve")
  })

  // Would catch: a reserve that is taken for granted; states that stay "active"; a message that sends to a backup in vain.
  it("starts to read, says why it can't write, and goes on once there is room", async () => {
    disk.fill()
    await start()
    expect(await fileIds()).toHaveLength(1)
    await expect(upload()).rejects.toMatchObject({ code: "disk_full" })
    await expect(removeOne()).rejects.toMatchObject({ code: "disk_full" })
    expect(await client.chat.status({ params: { chatId: "cut" } })).toMatchObject({ status: "error" })
    await expect(backup()).rejects.toMatchObject({ code: "disk_full" }) // it couldn't be written down
    disk.makeRoom()
    expect(await removeOne()).toMatchObject({ deleted: true })
  })

  // Would catch: a backup that ends the box because its directory can't be made.
  it("survives a backup without a place for it", async () => {
    await start()
    rmSync(join(dataDir, "backups"), { recursive: true, force: true })
    disk.fill("files")
    expect(await backup()).toContain("disk is full")
    expect(await client.account.health()).toMatchObject({ status: "ok" })
  })
})
