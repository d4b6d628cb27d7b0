import SqliteDatabase from "better-sqlite3"
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { databasePath } from "../../start/open-data.ts"
import { runCommand } from "../../testing/box-process.ts"
import { damagePages } from "../../testing/test-database.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const megabytes = 66 // more than is checked before the server accepts requests
let box: TestBox

beforeAll(async () => {
  box = await startTestBox()
  await box.box[Symbol.asyncDispose]()
  const path = databasePath(box.dataDir)
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("synchronous = OFF")
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get()
  const insert = sqlite.prepare(
    "INSERT INTO memories (id, ownerId, text, foldedText, createdAt, updatedAt) VALUES (?, ?, ?, '', '', '')",
  )
  for (let id = 0; id < megabytes; id++) insert.run(String(id), owner, "x".repeat(2 ** 20))
  sqlite.close()
  damagePages(path, "memories", (pages) => pages.slice(1, 2))
  await box.restart()
})
afterAll(() => box[Symbol.asyncDispose]())

const listNotifications = async () =>
  (await box.client.notifications.list()).notifications.filter(
    ({ news }) => news?.kind === "database_damaged",
  )

// Catches damage to a large database that isn't noticed, and a notification at every check.
it("is found at any size while the server runs, and its owner is notified once, with what to do", async () => {
  await expect.poll(listNotifications).toMatchObject([{ news: { tables: ["memories"] }, type: "error" }])
  expect((await listNotifications())[0]?.description).toContain("salvage DIRECTORY")
  expect((await box.client.storage.read()).storage.database).toMatchObject({
    status: "damaged",
    damagedTables: ["memories"],
  })
  await box.client.notifications.update({
    params: { id: (await listNotifications())[0]?.id ?? "" },
    body: { read: true },
  })
  await box.restart()
  await expect.poll(async () => (await box.client.storage.read()).storage.database.status).toBe("damaged")
  expect(await listNotifications()).toMatchObject([{ read: true }])
})

// Catches a backup that is reported as made but that a restore then refuses.
it("makes no backup: neither the server nor the command reports one", async () => {
  await box.client.storage.startBackup()
  await expect.poll(async () => (await box.client.storage.backup()).backup?.status).toBe("failed")
  expect((await box.client.storage.backup()).backup?.error).toContain("salvage DIRECTORY")
  expect(await readdir(join(box.dataDir, "backups"))).toEqual([])

  const target = `${box.dataDir}-backup.tgz`
  const { code, stdout, stderr } = await runCommand("backup", target, "--data", box.dataDir)
  expect([code, stdout]).toEqual([2, ""])
  expect(stderr).toContain("salvage DIRECTORY")
  expect(existsSync(target)).toBe(false)
})
