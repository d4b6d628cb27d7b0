import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { copiedTables, copyRows, derivedTables } from "./copy-rows.ts"
import type { OpenDatabase } from "./database.ts"
import { numbersAfterMoves } from "./postgres/migrations/078-numbers-after-moves.ts"
import { openPostgres } from "./postgres/open-postgres.ts"
import { openSqlite } from "./sqlite/open-sqlite.ts"
import { tableOwners } from "./table-owners.ts"
import { fillRows } from "./testing/test-database.ts"

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

// Catches answers and histories that lose rows after a move because the numbers of new rows are taken.
test("continues numbering on a server after the copied rows", async () => {
  const path = join(directory, "numbers.sqlite")
  await openSqlite(path)[Symbol.asyncDispose]()
  fillRows(path)
  await using from = openSqlite(path)
  await using target = await openPostgres(await server.createDatabase())
  await copyRows(from.db, target.db)
  const { rows: numbered } = await sql<{ table: string; key: string; column: string }>`
    SELECT table_name AS table, column_name AS key, pg_get_serial_sequence(quote_ident(table_name), column_name) AS column
    FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`.execute(
    target.db,
  )
  expect(numbered.map(({ table }) => table)).toEqual(
    expect.arrayContaining(["answerPieces", "fileHistory", "keyCalls"]),
  )
  const expectNewNumbers = async () => {
    for (const { table, key, column } of numbered) {
      const { rows } = await sql<{ next: number; largest: number }>`
        SELECT nextval(${column}) AS next, (SELECT coalesce(max(${sql.ref(key)}), 0) FROM ${sql.table(table)}) AS largest`.execute(
        target.db,
      )
      expect([table, Number(rows[0]?.next)]).toEqual([table, Number(rows[0]?.largest) + 1])
    }
  }
  await expectNewNumbers()
  // The upgrade repairs databases that an earlier version filled.
  for (const { column } of numbered) await sql`SELECT setval(${column}, 1)`.execute(target.db)
  await sql.raw(numbersAfterMoves).execute(target.db)
  await expectNewNumbers()
})
