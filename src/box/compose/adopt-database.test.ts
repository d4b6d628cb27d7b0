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
function addRow(table: string, column: string, value: string): void {
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("foreign_keys = OFF")
  const columns = sqlite.pragma(`table_info("${table}")`) as { name: string; type: string }[]
  const empty = { INTEGER: 0, REAL: 0, BLOB: Buffer.alloc(0) } as Record<string, unknown>
  const values = columns.map(({ name, type }) => (name === column ? value : (empty[type] ?? "")))
  const names = columns.map(({ name }) => `"${name}"`)
  sqlite
    .prepare(`INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => "?").join()})`)
    .run(values)
  sqlite.close()
}

it("A backup is adopted", async () => {
  addRow("automations", "id", "0197a2b4-7d6e-7c3a-8f51-2b9d4c6e8f10")
  expect(await adopt()).toMatchObject({ people: 1 })
})

// Would catch: a restore after which no one can sign in as an owner, or enable one.
it.each([
  "UPDATE users SET disabledAt = '2026-01-01T00:00:00.000Z'",
  "UPDATE memberships SET role = 'member'",
])("A backup without an owner who may sign in isn't adopted: %s", async (change) => {
  const sqlite = new SqliteDatabase(path)
  sqlite.exec(change)
  sqlite.close()
  await expect(adopt()).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(/no owner/) as string,
  })
})

// Would catch: rows of a backup whose ids lead to files outside the data directory, or make pages answer 500.
describe("A backup with ids that aren't Casella's isn't adopted", () => {
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
    addRow(table, column, "x/../../../home")
    expect(await adopt()).toBeNull()
  })

  it("such as an empty one", async () => {
    addRow("apiKeys", "id", "")
    expect(await adopt()).toBeNull()
  })
})
