import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { copiedTables, copyRows, derivedTables } from "./copy-rows.ts"
import type { OpenDatabase } from "./database.ts"
import { openPostgres } from "./postgres/open-postgres.ts"
import { openSqlite } from "./sqlite/open-sqlite.ts"
import { tableOwners } from "./table-owners.ts"
import { fillRows, rowsOfEach } from "./testing/test-database.ts"

let directory: string
let server: TestPostgres
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "casella-copy-"))
  server = startTestPostgres()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const searchTables = ["fileNames", "messageTexts"]
/** Returns all contents, including the tables of counts. */
async function contents({ db }: OpenDatabase) {
  const all: Record<string, unknown[]> = {}
  for (const table of [...copiedTables, ...derivedTables.filter((name) => name.endsWith("Counts"))]) {
    const rows = await db.selectFrom(table).selectAll().execute()
    all[table] = rows
      .map((row) => Object.entries(row).map((entry) => JSON.stringify(entry)))
      .map((entries) => entries.toSorted().join())
      .toSorted()
  }
  return all
}

// Catches a table that is added in a later version and whose rows are missing in every copy.
test("copies every table, or fills it from copied ones", () => {
  expect([...copiedTables, ...derivedTables, ...searchTables].toSorted()).toEqual(
    Object.keys(tableOwners).toSorted(),
  )
})

// Catches rows, columns or characters that one of the databases doesn't accept, and counts that are copied twice.
test("keeps every row the same on the way to a server and back", async () => {
  const path = join(directory, "from.sqlite")
  await openSqlite(path)[Symbol.asyncDispose]()
  fillRows(path)
  await using from = openSqlite(path)
  await using target = await openPostgres(await server.createDatabase())
  await copyRows(from.db, target.db)
  const back = join(directory, "back.sqlite")
  await target.copyTo(back)
  await using returned = openSqlite(back)
  const before = await contents(from)
  expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true)
  expect(await contents(target)).toEqual(before)
  expect(await contents(returned)).toEqual(before)
})

// Catches an answer that can't be stored after a move because its number is taken.
test("continues numbering on a server after the copied rows", async () => {
  const path = join(directory, "numbers.sqlite")
  await openSqlite(path)[Symbol.asyncDispose]()
  fillRows(path)
  await using from = openSqlite(path)
  await using target = await openPostgres(await server.createDatabase())
  await copyRows(from.db, target.db)
  const { messageId } = await target.db
    .selectFrom("answerPieces")
    .select("messageId")
    .limit(1)
    .executeTakeFirstOrThrow()
  const added = await target.db
    .insertInto("answerPieces")
    .values({ messageId, parts: "[]" })
    .returning("id")
    .executeTakeFirstOrThrow()
  expect(added.id).toBe(rowsOfEach + 1)
})
