import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { type OpenDatabase, createRemembered } from "../database.ts"
import { acquireDatabase } from "./hold-database.ts"
import { openPostgres } from "./open-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const add = ({ db }: OpenDatabase, id: string) =>
  db.insertInto("workspaces").values({ id, name: id, createdAt: "" }).execute()
async function connected(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
async function runStatements(url: string, ...statements: string[]) {
  const client = await connected(url)
  for (const statement of statements) await client.query(statement)
  await client.end()
}
const renamed = "UPDATE workspaces SET name = 'by hand' WHERE id = 'a'"

/** Opens the running box's database, with remembered names. */
async function openLocked(url: string, lockUrl = url) {
  const stack = new AsyncDisposableStack()
  const hold = stack.use(await acquireDatabase(lockUrl))
  const box = stack.use(await openPostgres(url, undefined, { held: hold }))
  let asked = 0
  const remembered = createRemembered<string>(box.state, 10)
  const getName = (id: string) =>
    remembered(id, async () => {
      asked++
      const row = box.db.selectFrom("workspaces").select("name").where("id", "=", id)
      return (await row.executeTakeFirst())?.name ?? null
    })
  await waitFor(() => expect(box.state()).not.toBeNull())
  return {
    box,
    getName,
    asked: () => asked,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

// Catches requests that query the server each time, and a revoked key that is accepted because no one reported the revocation.
test("remembers reads until this box, a command or an administrator writes", async () => {
  const url = await server.createDatabase()
  await using held = await openLocked(url)
  const { box, getName, asked } = held
  await add(box, "a")
  await waitFor(async () => {
    const before = asked()
    expect([await getName("a"), await getName("a"), asked()]).toEqual(["a", "a", before])
  })

  await box.db.updateTable("workspaces").set({ name: "here" }).where("id", "=", "a").execute()
  expect(await getName("a")).toBe("here")
  await box.db
    .transaction()
    .execute((trx) => trx.updateTable("workspaces").set({ name: "together" }).where("id", "=", "a").execute())
  expect(await getName("a")).toBe("together")

  const version = box.dataVersion()
  await using command = await openPostgres(url)
  await command.db.updateTable("workspaces").set({ name: "command" }).where("id", "=", "a").execute()
  await waitFor(async () => expect(await getName("a")).toBe("command"))
  await waitFor(() => expect(box.dataVersion()).not.toBe(version))
  await runStatements(url, renamed)
  await waitFor(async () => expect(await getName("a")).toBe("by hand"))
})

// Catches a revoked key that stays valid until someone else writes, because the revocation wasn't reported.
test.each([
  ["names itself as a box does", ["SET application_name = 'casella-box x'", renamed]],
  ["writes as replication does, without triggers", ["SET session_replication_role = replica", renamed]],
  ["has switched triggers off", ["ALTER TABLE workspaces DISABLE TRIGGER ALL", renamed]],
  ["writes in a function", [`DO $$ BEGIN ${renamed}; END $$`]],
  ["empties a table", ["TRUNCATE workspaces CASCADE"]],
  ["changes a table", ["ALTER TABLE workspaces ALTER COLUMN name TYPE text USING 'by hand'"]],
  [
    "puts another table in its place",
    ["ALTER TABLE workspaces RENAME TO aside", "CREATE TABLE workspaces (LIKE aside)"],
  ],
])("remembers reads until someone %s", async (_, statements) => {
  const url = await server.createDatabase()
  await using held = await openLocked(url)
  const { box, getName } = held
  await add(box, "a")
  expect(await getName("a")).toBe("a")
  const version = box.dataVersion()
  await runStatements(url, ...statements)
  await waitFor(async () => expect(await getName("a")).not.toBe("a"))
  await waitFor(() => expect(box.dataVersion()).not.toBe(version))
})

// Catches data that is remembered forever although the server changed it after its answer was lost.
test("remembers reads until a write runs whose answer was lost", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using held = await openLocked(relay.url, url)
  const { box, getName } = held
  await add(box, "a")
  const lockHolder = await connected(url)
  await lockHolder.query("BEGIN; LOCK TABLE workspaces IN SHARE MODE") // reads continue
  const lost = box.db.updateTable("workspaces").set({ name: "b" }).where("id", "=", "a").execute()
  const waits = `SELECT FROM pg_stat_activity WHERE application_name LIKE 'casella-box %' AND wait_event_type = 'Lock'`
  await waitFor(async () => expect((await lockHolder.query(waits)).rowCount).toBe(1))
  relay.cut()
  await expect(lost).rejects.toMatchObject({ code: "unavailable" })
  expect(await getName("a")).toBe("a")
  await lockHolder.query("COMMIT")
  await lockHolder.end()
  await waitFor(async () => expect(await getName("a")).toBe("b"))
})

// Catches a key that stays valid for as long as the silence of the notifying connection goes unnoticed.
test("remembers nothing while the connection that reports writes is silent", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using held = await openLocked(url, relay.url)
  const { box } = held
  relay.silence()
  await waitFor(() => expect(box.state()).toBeNull())
  relay.cut() // it recovers over a new connection
  await waitFor(() => expect(box.state()).not.toBeNull())
})

// Catches a box that doesn't start on a database whose schema also contains other programs' tables.
test("ignores other programs' tables in the same schema", async () => {
  const url = new URL(await server.createDatabase())
  await runStatements(
    url.href,
    "CREATE EXTENSION pg_trgm; CREATE TABLE notes (note text); CREATE ROLE casella LOGIN; GRANT ALL ON SCHEMA public TO casella",
  )
  url.username = "casella"
  await using box = await openPostgres(url.href)
  expect(await box.db.selectFrom("users").select("id").execute()).toEqual([])
})
