import { existsSync, readdirSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, expect, it } from "vitest"
import { databaseFile } from "../../core/data-layout.ts"
import { databasePath } from "../../start/open-data.ts"
import { killsItself, runCommand, withScript } from "../../testing/box-process.ts"
import { damagePages } from "../../testing/test-database.ts"
import { startTestBox } from "../../testing/test-box.ts"

let root: string
let dataDir: string
let target: string
let key: string
let fileId: string
let folderId: string
const rows = 3_000

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-salvage-"))
  dataDir = join(root, "data")
  target = join(root, "salvaged")
  const box = await startTestBox({ dataDir })
  key = box.key
  const { vector } = await box.client.folders.create({ body: { name: "Handbook" } })
  folderId = vector.id
  const file = new Blob(["The heron stands still."])
  const receipt = await box.client.files.upload({ params: { id: folderId }, file, fileName: "heron.txt" })
  fileId = receipt.files[0]?.id ?? ""
  await writeFile(join(dataDir, "secrets.json"), "[]", { mode: 0o600 })
  await box.box[Symbol.asyncDispose]()
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  const insert = sqlite.prepare(
    "INSERT INTO memories (id, ownerId, text, foldedText, createdAt, updatedAt) VALUES (?, ?, ?, ?, '', '')",
  )
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get()
  sqlite.transaction(() => {
    for (let id = 0; id < rows; id++) insert.run(String(id), owner, "a fact ".repeat(20), "")
  })()
  sqlite.close()
})
afterEach(() => rm(root, { recursive: true, force: true }))

const getIds = (directory: string) => {
  const sqlite = new SqliteDatabase(databasePath(directory))
  const ids = sqlite.prepare("SELECT id FROM memories").pluck().all() as string[]
  sqlite.close()
  return new Set(ids)
}
const salvage = () => runCommand("salvage", target, "--data", dataDir)

// Catches rows after or between damaged pages that are given up, a report without losses, files that aren't copied, and a new directory on
// which no server starts.
it("copies everything except the content of damaged pages, and reports how much is lost", async () => {
  const perPage = rows / 150 // about 200 bytes a row
  damagePages(databasePath(dataDir), "memories", (pages) => [
    pages[2] ?? 0,
    pages[70] ?? 0,
    pages.at(-1) ?? 0,
  ])
  const { code, stdout, stderr } = await salvage()
  expect([code, stderr]).toEqual([0, ""])
  const [, kept, lost] = /^memories\t(\d+) rows\t(\d+) lost: .*malformed/m.exec(stdout) ?? []
  expect(Number(kept) + Number(lost)).toBe(rows)
  expect(Number(lost)).toBeLessThanOrEqual(5 * perPage)
  expect(stdout).toMatch(/^users\t1 rows$/m)
  expect(getIds(target).size).toBe(Number(kept))

  await using box = await startTestBox({ dataDir: target })
  const client = box.getClient(key)
  expect(await (await client.files.content({ params: { id: folderId, fileId } })).text()).toContain("heron")
  const { vector } = await client.folders.read({ params: { id: folderId } })
  expect(vector.folder).toBe(join(target, "folders", folderId))
  expect(await readFile(join(target, "secrets.json"), "utf8")).toBe("[]")
})

// Catches losses that are reported without any damage, because derived tables are copied as well.
it("loses nothing of a database that isn't damaged", async () => {
  const { code, stdout, stderr } = await salvage()
  expect([code, stderr]).toEqual([0, ""])
  expect(stdout).not.toMatch(/lost/)
  expect(getIds(target).size).toBe(rows)
})

// Catches a damaged index that causes lost rows.
it("loses nothing because of a damaged index", async () => {
  damagePages(databasePath(dataDir), "memoriesByTime", (pages) => pages)
  damagePages(databasePath(dataDir), "sqlite_autoindex_memories_1", (pages) => pages)
  expect((await salvage()).stdout).toMatch(new RegExp(`^memories\t${rows} rows$`, "m"))
})

// Catches an endless walk through all numbers up to one that a flipped bit made, and rows below 1 that are left out.
it("takes no longer for rows with unusual numbers, damaged or not", async () => {
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  sqlite.exec(`UPDATE memories SET rowid = rowid + (1 << 50) WHERE rowid > ${rows / 2};
    UPDATE memories SET rowid = 1 << 62 WHERE id = '${rows - 1}';
    UPDATE memories SET rowid = -7 WHERE id = '0'; UPDATE memories SET rowid = 0 WHERE id = '1'`)
  sqlite.close()
  damagePages(databasePath(dataDir), "memories", (pages) =>
    pages.slice(pages.length / 2 - 2, pages.length / 2 + 2),
  )
  damagePages(databasePath(dataDir), "memoriesByTime", (pages) => pages)
  const { stdout } = await salvage()
  const [, kept, lost] = /^memories\t(\d+) rows\t(\d+) lost: .*malformed/m.exec(stdout) ?? []
  expect(Number(kept) + Number(lost)).toBe(rows)
  expect(Number(lost)).toBeLessThan(rows / 20)
  expect([...getIds(target)]).toEqual(expect.arrayContaining(["0", "1", String(rows - 1)]))
})

// Catches a table that is given up, or searched for ever, because no index shows where its damaged end is.
it("saves a table with a damaged last page and damaged indexes", async () => {
  damagePages(databasePath(dataDir), "memories", (pages) => [pages[40] ?? 0, pages.at(-1) ?? 0])
  damagePages(databasePath(dataDir), "memoriesByTime", (pages) => pages)
  damagePages(databasePath(dataDir), "sqlite_autoindex_memories_1", (pages) => pages)
  const { stdout } = await salvage()
  const [, kept] = /^memories\t(\d+) rows\tan unknown number lost: .*malformed/m.exec(stdout) ?? []
  expect(Number(kept)).toBeGreaterThan(rows * 0.95)
})

// Catches a reported count that can't be known, and a command that stops when one table is lost.
it("continues when nothing of a table is readable", async () => {
  damagePages(databasePath(dataDir), "memories", (pages) => pages)
  const { stdout } = await salvage()
  expect(stdout).toMatch(new RegExp(`^memories\t0 rows\t${rows} lost`, "m"))
  expect(stdout).toMatch(/^folders\t1 rows$/m)
})

// Catches a directory with some rows or none on which a server starts as if it were complete.
it("leaves nothing that looks like a complete data directory when it is killed", async () => {
  const killed = await withScript(killsItself("before", "rename", join(target, databaseFile)), salvage)
  expect(killed.code).toBeNull()
  const { code, stdout, stderr } = await runCommand("users", "list", "--data", target)
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    expect.stringMatching(/wasn't finished.*salvage again\.\n$/),
  ])
})

it("refuses a directory that isn't empty or is inside the damaged one", async () => {
  for (const taken of [root, join(dataDir, "new"), dataDir]) {
    const { code, stdout } = await runCommand("salvage", taken, "--data", dataDir)
    expect([code, stdout]).toEqual([2, ""])
  }
  expect(getIds(dataDir).size).toBe(rows)
})

// Catches a backup without the documents of a missing directory that replaces the last backup with them.
it("names missing uploaded files, and no backup is made without them", async () => {
  await rm(join(dataDir, "folders", folderId), { recursive: true })
  const backup = join(root, "backup.tgz")
  const refused = await runCommand("backup", backup, "--data", dataDir)
  expect(refused).toMatchObject({ code: 2, stdout: "" })
  expect(refused.stderr).toContain(
    "The files of the folder “Handbook” are missing, so no backup was created.",
  )
  expect(existsSync(backup)).toBe(false)
  const { stdout } = await salvage()
  expect(stdout).toContain(`kept\t1 lost:\n\t${join("folders", folderId, "heron.txt")}`)
})

// Catches a salvaged server that is open to the network, or that writes backups to a directory, because its owner chose that for another
// location.
it("turns off network access and planned backups", async () => {
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  const insert = sqlite.prepare("INSERT INTO settings VALUES (?, ?)")
  insert.run("networkAccess", "true")
  insert.run("allowedHosts", '["box.lan"]')
  const plan = { every: "day", weekday: 1, at: null, directory: root, keep: 2 }
  insert.run("backupPlan", JSON.stringify({ plan, plannedAt: 0, last: null, names: [] }))
  sqlite.close()
  expect((await salvage()).stdout).toContain("Network access and scheduled backups are off")
  await using box = await startTestBox({ dataDir: target })
  const client = box.getClient(key)
  expect((await client.settings.network()).network.on).toBe(false)
  expect((await client.storage.backupPlan()).state.plan).toBeNull()
  expect((await client.settings.read()).settings.allowedHosts).toEqual(["box.lan"])
  expect(readdirSync(root).filter((name) => name.endsWith(".tgz"))).toEqual([])
})
