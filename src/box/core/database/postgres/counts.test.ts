import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { copyRows } from "../copy-rows.ts"
import type { DatabaseSchema } from "../database-schema.ts"
import { isAmong } from "../sql-helpers.ts"
import { openSqlite } from "../sqlite/open-sqlite.ts"
import { fillRows } from "../testing/test-database.ts"
import { compactCounts } from "./compact-counts.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
let directory: string
beforeAll(() => {
  server = startTestPostgres()
  directory = mkdtempSync(join(tmpdir(), "casella-counts-"))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

/** A database with rows in every table, and connections to it. */
async function openFilled(connections: number) {
  const url = await server.createDatabase()
  const path = join(directory, "rows.sqlite")
  rmSync(path, { force: true })
  await openSqlite(path)[Symbol.asyncDispose]()
  fillRows(path)
  {
    await using from = openSqlite(path)
    await using to = await openPostgres(url)
    await copyRows(from.db, to.db)
  }
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url }))
  for (const client of clients) {
    await client.connect()
    await client.query("SET lock_timeout = '10s'")
  }
  return {
    url,
    clients,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

const nth = (table: string, number: number) =>
  `(SELECT id FROM ${table} ORDER BY id COLLATE "C" OFFSET ${number} LIMIT 1)`

/** The stored counts of each kind, and the same counted from the items, without those that are 0. */
const counts = {
  fileCounts: `SELECT "folderId", status, count(*) AS amount FROM files GROUP BY 1, 2`,
  folderSizes: `SELECT "folderId", sum(size)::bigint AS bytes FROM files GROUP BY 1`,
  notificationCounts: `SELECT "userId", category, read, muted, count(*) AS amount FROM notifications GROUP BY 1, 2, 3, 4`,
  conversationCounts: `SELECT "ownerId", origin, pinned, count(*) AS amount FROM conversations WHERE removed = 0 GROUP BY 1, 2, 3`,
}

async function expectTrueCounts(client: Client): Promise<void> {
  for (const [name, counted] of Object.entries(counts)) {
    const sum = name === "folderSizes" ? "bytes" : "amount"
    const { rows } = await client.query(
      `(SELECT * FROM "${name}" WHERE ${sum} <> 0 EXCEPT ${counted}) UNION ALL (${counted} EXCEPT SELECT * FROM "${name}")`,
    )
    expect([name, rows]).toEqual([name, []])
  }
}

// Catches indexing that pauses for half a minute with "deadlock detected", because a file that was claimed and one that was put back counted
// the same two states in opposite order; the same for notifications and chats.
test("transactions that count the same items don't wait for one another", async () => {
  await using filled = await openFilled(2)
  const [one, other] = filled.clients as [Client, Client]
  await one.query(`UPDATE files SET "folderId" = ${nth("folders", 0)}, status = 'queued';
    UPDATE files SET status = 'processing' WHERE id > ${nth("files", 200)};
    UPDATE notifications SET "userId" = ${nth("users", 0)}, category = 'a', read = 0, muted = 0;
    INSERT INTO conversations SELECT (jsonb_populate_record(NULL::conversations, to_jsonb(kept) || jsonb_build_object('id', 'chat ' || number, 'removed', 0))).*
      FROM generate_series(1, 2) AS number, (SELECT * FROM conversations LIMIT 1) AS kept`)
  await one.query("BEGIN")
  await one.query(`UPDATE files SET status = 'processing', size = 5 WHERE id = ${nth("files", 0)};
    UPDATE notifications SET read = 1 WHERE id = ${nth("notifications", 0)};
    UPDATE conversations SET pinned = 1 WHERE id = 'chat 1'`)
  await other.query(`UPDATE conversations SET removed = 1 WHERE id = 'chat 2';
    UPDATE notifications SET read = 1 WHERE id = ${nth("notifications", 1)};
    UPDATE files SET status = 'queued', size = 6 WHERE id = ${nth("files", 300)}`)
  await one.query("COMMIT")
  await expectTrueCounts(one)
})

// Catches counts that drift when many change them at the same time or when folders and people are deleted with their items, and changes
// that pile up.
test("counts stay true while many transactions change, move and delete items", async () => {
  await using filled = await openFilled(4)
  const state = (number: number) => `'state ${number % 3}'`
  await Promise.all(
    filled.clients.map(async (client, index) => {
      for (let round = 0; round < 120; round++) {
        // Each connection has its own items, but they are counted in the same few groups.
        const item = index * 100 + (round % 90)
        const file = `id = ${nth("files", item)}`
        await client.query("BEGIN")
        await client.query(`UPDATE files SET status = ${state(round)}, size = ${round} WHERE ${file}`)
        await client.query(`UPDATE files SET "folderId" = ${nth("folders", 400 + (round % 3))} WHERE ${file}`)
        await client.query(
          `UPDATE notifications SET "userId" = ${nth("users", 400)}, category = 'a', muted = 0, read = ${round % 2} WHERE id = ${nth("notifications", item)}`,
        )
        await client.query(
          `UPDATE conversations SET removed = ${Number(round % 5 === 0)}, pinned = ${round % 2}, origin = ${state(round)} WHERE id = ${nth("conversations", item)}`,
        )
        await client.query(round % 7 === 0 ? "ROLLBACK" : "COMMIT")
      }
    }),
  )
  const [client] = filled.clients as [Client]
  await expectTrueCounts(client)
  const { rows } = await client.query<{ changes: number }>(
    `SELECT count(*)::integer AS changes FROM "fileCountChanges" WHERE "folderId" IN (SELECT "folderId" FROM files GROUP BY 1 HAVING count(*) > 5)`,
  )
  expect(rows[0]?.changes).toBeLessThan(400) // of about 1,600
  await client.query(`DELETE FROM folders WHERE id = ${nth("folders", 400)}`)
  await client.query(`DELETE FROM users WHERE id = ${nth("users", 400)}`)
  await client.query(`DELETE FROM files WHERE id > ${nth("files", 150)}`)
  await expectTrueCounts(client)
})

// Catches changes that pile up where nothing is added any more: files, notifications and chats that are deleted one by one.
test("changes of counts that rest are added up", async () => {
  await using filled = await openFilled(1)
  const [client] = filled.clients as [Client]
  const countChanges = async () => {
    const tables = ["fileCount", "folderSize", "notificationCount", "conversationCount"]
    const counted = tables.map((name) => `(SELECT count(*) FROM "${name}Changes")`)
    const { rows } = await client.query<{ number: number }>(
      `SELECT (${counted.join(" + ")})::integer AS number`,
    )
    return rows[0]?.number ?? 0
  }
  for (const table of ["files", "notifications", "conversations"])
    for (let deleted = 0; deleted < 60; deleted++)
      await client.query(`DELETE FROM ${table} WHERE id = (SELECT id FROM ${table} LIMIT 1)`)
  const before = await countChanges()
  await using opened = await openPostgres(filled.url)
  await compactCounts(opened.db)
  const groups = Object.values(counts).map((counted) => `(SELECT count(*) FROM (${counted}) AS groups)`)
  const { rows } = await client.query<{ number: number }>(`SELECT (${groups.join(" + ")})::integer AS number`)
  expect(await countChanges()).toBe(rows[0]?.number)
  expect(before).toBeGreaterThan((rows[0]?.number ?? 0) + 150)
  await expectTrueCounts(client)
})

// Catches a list of folders whose counts are read by adding up those of all folders.
test("the counts of a few folders are found in an index", async () => {
  await using filled = await openFilled(1)
  const [client] = filled.clients as [Client]
  await client.query(`INSERT INTO "fileCountChanges" SELECT id, 'a', 0 FROM folders, generate_series(1, 50);
    INSERT INTO "folderSizeChanges" SELECT id, 0 FROM folders, generate_series(1, 50);
    ANALYZE`)
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool: new Pool() }) })
  for (const view of ["fileCounts", "folderSizes"] as const) {
    const { sql, parameters } = db
      .selectFrom(view)
      .selectAll()
      .where(isAmong(db, "folderId", '["a"]'))
      .compile()
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${sql}`, [...parameters])
    const plan = rows.flatMap((row) => Object.values(row)).join("\n")
    expect(plan).toMatch(/Index.*ChangesByOwner/)
  }
})
