import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSqlite } from "../core/database/sqlite/open-sqlite.ts"
import { writeNewDatabase } from "../core/database/testing/test-database.ts"
import { createPeople } from "../features/accounts/people.ts"
import { databaseAdoption } from "./adopt-database.ts"

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-adopt-"))
  path = join(directory, "casella.sqlite")
  await writeNewDatabase(path)
  await using database = openSqlite(path)
  await createPeople(database.db).ensureOwner()
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function adopt() {
  await using database = openSqlite(path)
  return await databaseAdoption.adoptBackup(database, directory, directory)
}

/** Adds a row whose other columns are empty. */
function addRow(table: string, given: Record<string, string | number | bigint | Buffer>): void {
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("foreign_keys = OFF")
  const columns = sqlite.pragma(`table_info("${table}")`) as { name: string; type: string }[]
  const empty = { INTEGER: 0, REAL: 0, BLOB: Buffer.alloc(0) } as Record<string, unknown>
  const values = columns.map(({ name, type }) => given[name] ?? empty[type] ?? "")
  const names = columns.map(({ name }) => `"${name}"`)
  sqlite
    .prepare(`INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => "?").join()})`)
    .run(values)
  sqlite.close()
}

it("adopts a backup", async () => {
  addRow("automations", { id: "0197a2b4-7d6e-7c3a-8f51-2b9d4c6e8f10" })
  expect(await adopt()).toMatchObject({ people: 1 })
})

// Catches a restore after which no one can sign in as an owner, or enable an owner.
it.each([
  "UPDATE users SET disabledAt = '2026-01-01T00:00:00.000Z'",
  "UPDATE memberships SET role = 'member'",
  "PRAGMA foreign_keys = OFF; DELETE FROM workspaces",
])("refuses a backup in which no owner can sign in: %s", async (change) => {
  const sqlite = new SqliteDatabase(path)
  sqlite.exec(change)
  sqlite.close()
  await expect(adopt()).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(/no owner/) as string,
  })
})

// Catches a backup's rows whose IDs lead to files outside the data directory, or make pages answer 500.
describe("Refuses a backup with IDs that Casella didn't make", () => {
  it.each([
    ["files", "id"],
    ["folders", "id"],
    ["trashedFiles", "id"],
    ["unfinishedChanges", "fileId"],
    ["returningFiles", "fileId"],
    ["filings", "id"],
    ["chatFiles", "id"],
    ["apiKeys", "id"],
    ["automations", "id"],
    ["modelServers", "id"],
    ["users", "id"],
  ])("%s.%s", async (table, column) => {
    addRow(table, { [column]: "x/../../../home" })
    expect(await adopt()).toBeNull()
  })

  it("such as an empty ID", async () => {
    addRow("apiKeys", { id: "" })
    expect(await adopt()).toBeNull()
  })
})

const readAll = (query: string): unknown[] => {
  const sqlite = new SqliteDatabase(path, { readonly: true })
  const rows = sqlite.prepare(query).pluck().all()
  sqlite.close()
  return rows
}

/** Adds one of the owner's folders and a file in it. */
function addFile(given: Record<string, string | number>): void {
  if (readAll("SELECT id FROM folders").length === 0)
    addRow("folders", { id: "folder", ownerId: String(readAll("SELECT id FROM users")[0]) })
  addRow("files", { folderId: "folder", status: "completed", name: String(given.id), ...given })
}

// Catches a folder whose list of files answers 500 permanently.
it("resets a file's progress in a backup if it is out of range", async () => {
  for (const progress of [-1, 101]) addFile({ id: `file${progress}`, progress })
  await adopt()
  expect(readAll("SELECT progress FROM files")).toEqual([0, 0])
})

// Catches an unreadable list that stops the reading of every folder's files, or breaks it once the rows are on a database server.
it.each(["{", "null", '{"pages":{}}'])(
  "reads a file from the start whose waiting pages are %s",
  async (waitingPages) => {
    addFile({ id: "file", status: "queued", phase: "ocr", waitingPages })
    await adopt()
    expect(readAll(`SELECT "waitingPages" FROM files`)).toEqual([null])
  },
)

// Catches a download that answers 500 because the type can't be sent as a header.
it("replaces a file's type in a backup if it isn't a media type", async () => {
  for (const [index, mimeType] of [
    "text/plain",
    "text/plain\r\nset-cookie: x",
    "",
    "n".repeat(9_000),
  ].entries())
    addFile({ id: `file${index}`, mimeType })
  await adopt()
  const unknown = "application/octet-stream"
  expect(readAll(`SELECT "mimeType" FROM files ORDER BY id`)).toEqual([
    "text/plain",
    unknown,
    unknown,
    unknown,
  ])
})

// Catches a search index that is never complete because one embedding can't be read.
it("removes an embedding with a truncated number from a backup, so that it is made again", async () => {
  addFile({ id: "file" })
  const passage = (id: string, bytes: number) => {
    addRow("passages", { id, fileId: "file", position: bytes })
    addRow("passageEmbeddings", { passageId: id, vector: Buffer.alloc(bytes) })
  }
  passage("whole", 8)
  passage("cut", 7)
  await adopt()
  expect(readAll(`SELECT "passageId" FROM "passageEmbeddings"`)).toEqual(["whole"])
})

// Catches quota and trash pages that answer 500 because a sum isn't a safe integer.
it.each(["files", "trashedFiles"])("refuses a backup with %s larger than any disk", async (table) => {
  const add = (id: string, size: number) =>
    table === "files"
      ? addFile({ id, size })
      : addRow(table, { id, folderId: "folder", userId: "user", size })
  add("one", Number.MAX_SAFE_INTEGER)
  expect(await adopt()).not.toBeNull()
  add("two", Number.MAX_SAFE_INTEGER)
  expect(await adopt()).toBeNull()
})

it("refuses a backup whose files and trash together are larger than any disk", async () => {
  const size = Number.MAX_SAFE_INTEGER
  addFile({ id: "one", size })
  addRow("trashedFiles", { id: "two", folderId: "folder", userId: "user", size })
  expect(await adopt()).toBeNull()
})

it("refuses a backup with a file of negative size", async () => {
  addFile({ id: "file", size: -1 })
  expect(await adopt()).toBeNull()
})

// Catches a deletion of objects that belong to the owner or to other programs in the bucket, because a backup lists them as unused.
it("accepts only valid object keys from a backup, and deletes none of them at once", async () => {
  const key = (digit: string) => `${digit.repeat(36)}.${digit.repeat(64)}`
  for (const object of ["casella.json", `../${"0".repeat(98)}`, `${key("1")}\0/x`, key("2")]) {
    addRow("unusedObjects", { object, noticedAt: "0000" })
    addFile({ id: `file${readAll("SELECT id FROM files").length}`, object: object.replace("2", "3") })
  }
  await adopt()
  expect(readAll("SELECT object FROM unusedObjects WHERE noticedAt IS NULL")).toEqual([key("2")])
  expect(readAll("SELECT count(*) FROM unusedObjects")).toEqual([1])
  expect(readAll("SELECT object FROM usedObjects")).toEqual([key("2").replace("2", "3")])
})

// Catches a list that answers 500 permanently, because JavaScript can't represent a number of a backup.
it("removes rows with numbers that JavaScript can't represent", async () => {
  const egress = { purpose: "web-page", outcome: "ok" }
  addRow("egress", { ...egress, id: "a", durationMs: 2n ** 53n - 1n })
  addRow("egress", { ...egress, id: "b", durationMs: 2n ** 53n })
  addRow("egress", { ...egress, id: "c", bytesSent: -(2n ** 62n) })
  await adopt()
  expect(readAll("SELECT id FROM egress")).toEqual(["a"])
})

// Catches a question of a backup that is asked by itself, an answer that is resumed, a stored token that is sent, a deletion that its author
// undoes, an arrival that starts an automation, and settings of the previous location.
it("leaves nothing in a backup that continues by itself", async () => {
  const names = {
    ownerId: "o",
    chatId: "c",
    assistantId: "a",
    projectId: "p",
    vectorIds: "[]",
    fileIds: "[]",
  }
  addRow("queuedQuestions", { ...names, id: "q", number: 1, content: "Send it." })
  addRow("begunTurns", { messageId: "m", ownerId: "o", chatId: "c" })
  addRow("fileArrivals", { number: 1, fileId: "f", folderId: "f" })
  addRow("deletions", { number: 1, ownerId: "o", itemId: "c", kind: "chat", tokenHash: Buffer.alloc(32, 1) })
  const values = { "secret/bank": "sealed", secretsSealed: "check", networkAccess: "true", backupPlan: "{}" }
  for (const [key, value] of Object.entries(values)) addRow("settings", { key, value })
  await adopt()
  expect(readAll("SELECT stopped FROM queuedQuestions")).toEqual([1])
  expect(readAll("SELECT asker FROM queuedQuestions")).toEqual([
    expect.stringContaining('"isUnconfirmed":true'),
  ])
  for (const table of ["begunTurns", "fileArrivals"])
    expect(readAll(`SELECT count(*) FROM ${table}`), table).toEqual([0])
  expect(readAll("SELECT tokenHash FROM deletions")).toEqual([null])
  const keys = readAll("SELECT key FROM settings")
  for (const key of Object.keys(values)) expect(keys).not.toContain(key)
})

const filing = { ownerId: "owner", fileId: "file", besideId: "file", chatId: "chat" }
const filedAs = JSON.stringify({ vectorId: "folder", folder: "", name: "a.txt", tags: [] })

// Catches a list of filings that answers 500 permanently.
it("keeps only the readable filings of a backup", async () => {
  const add = (id: string, before: string, after: string) =>
    addRow("filings", {
      ...filing,
      id,
      was: before,
      became: after,
      action: "rename",
      status: "done",
    })
  add("good", filedAs, filedAs)
  add("bad1", filedAs, "{")
  add("bad2", "{}", filedAs)
  add("bad3", filedAs, filedAs.replace("folder", ""))
  await adopt()
  expect(readAll("SELECT id FROM filings")).toEqual(["good"])
})

// Catches a trash that answers 500 because of the location that a file was being moved from.
it("keeps a backup's file out of the trash if its interrupted move has no source folder", async () => {
  addFile({ id: "file" })
  const taken = JSON.stringify({ folderId: "", hiddenId: "folder", trashId: "trash", mode: null })
  addRow("filings", {
    ...filing,
    id: "moving",
    was: filedAs,
    became: filedAs,
    action: "move",
    status: "moving",
    taken,
  })
  await adopt()
  expect(readAll("SELECT id FROM trashedFiles")).toEqual([])
  expect(readAll("SELECT id FROM files")).toEqual([])
})
