import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import type { OpenDatabase } from "../database.ts"
import { createRemembered } from "../remembered.ts"
import { holdDatabase } from "./hold-database.ts"
import { migrationsOfPostgres as migrations } from "./migrations/registry.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const add = ({ db }: OpenDatabase, id: string) =>
  db.insertInto("workspaces").values({ id, name: id, createdAt: "" }).execute()
const rename = async (url: string, id: string, name: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("UPDATE workspaces SET name = $2 WHERE id = $1", [id, name])
  await client.end()
}
/** Of the box that runs, with what it remembers of names. */
async function openHeld(url: string, lockUrl = url) {
  const stack = new AsyncDisposableStack()
  const hold = stack.use(await holdDatabase(lockUrl))
  const box = stack.use(await openPostgres(url, undefined, { held: hold }))
  let asked = 0
  const remembered = createRemembered<string>(box.state, 10)
  const nameOf = (id: string) =>
    remembered(id, async () => {
      asked++
      const row = box.db.selectFrom("workspaces").select("name").where("id", "=", id)
      return (await row.executeTakeFirst())?.name ?? null
    })
  await vi.waitFor(() => expect(box.state()).not.toBeNull())
  return {
    box,
    nameOf,
    asked: () => asked,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

// Would catch: each request asked of the server anew; a revoked key that is let in because nobody told of it.
test("what was read is remembered until this box, a command or an administrator writes", async () => {
  const url = await server.createDatabase()
  await using held = await openHeld(url)
  const { box, nameOf, asked } = held
  await add(box, "a")
  expect([await nameOf("a"), await nameOf("a"), asked()]).toEqual(["a", "a", 1])

  await box.db.updateTable("workspaces").set({ name: "here" }).where("id", "=", "a").execute()
  expect([await nameOf("a"), await nameOf("a"), asked()]).toEqual(["here", "here", 2])
  await box.db
    .transaction()
    .execute((trx) => trx.updateTable("workspaces").set({ name: "together" }).where("id", "=", "a").execute())
  expect(await nameOf("a")).toBe("together")

  const version = box.dataVersion()
  await using command = await openPostgres(url)
  await command.db.updateTable("workspaces").set({ name: "command" }).where("id", "=", "a").execute()
  await vi.waitFor(async () => expect(await nameOf("a")).toBe("command"))
  expect(box.dataVersion()).not.toBe(version)
  await rename(url, "a", "by hand")
  await vi.waitFor(async () => expect(await nameOf("a")).toBe("by hand"))
})

// Would catch: a table that a later version adds, of whose changes nobody is told.
test("writes to every table are told", async () => {
  const url = await server.createDatabase()
  const added = { name: "added", sql: "CREATE TABLE added (id integer);" }
  await using open = await openPostgres(url, [...migrations, added])
  const { rows } = await open.db.executeQuery<{ name: string }>({
    ...open.db.selectNoFrom((e) => e.val(1).as("one")).compile(),
    sql: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = 'tellOfWrite')`,
    parameters: [],
  })
  expect(rows).toEqual([])
})

// Would catch: something remembered for ever while the server carried out what it had answered nothing to.
test("nothing is remembered after a write whose answer was lost", async () => {
  const url = await server.createDatabase()
  await using held = await openHeld(url)
  const { box, nameOf } = held
  await add(box, "a")
  await nameOf("a")
  const lost = box.db.transaction().execute(async (trx) => {
    await trx.updateTable("workspaces").set({ name: "b" }).where("id", "=", "a").execute()
    const ender = new Client({ connectionString: url })
    await ender.connect()
    await ender.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'casella-box %' AND state = 'idle in transaction'",
    )
    await ender.end()
    await trx.updateTable("workspaces").set({ name: "c" }).where("id", "=", "a").execute()
  })
  await expect(lost).rejects.toThrow()
  expect(box.state()).toBeNull()
})

// Would catch: a key that goes on for as long as nobody notices that the server's word doesn't arrive any more.
test("nothing is remembered while the connection that tells of writes is silent", async () => {
  const url = new URL(await server.createDatabase())
  const path = `${url.searchParams.get("host")}/.s.PGSQL.5432`
  const pairs: Socket[] = []
  const relay = createServer((near) => {
    const far = connect(path)
    for (const end of [near, far]) end.on("error", () => undefined)
    near.pipe(far).pipe(near)
    pairs.push(near, far)
  }).listen(0, "127.0.0.1")
  await once(relay, "listening")
  const relayed = new URL(url)
  relayed.searchParams.delete("host")
  relayed.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`
  {
    await using held = await openHeld(url.href, relayed.href)
    const { box } = held
    for (const end of pairs) end.pause().unpipe()
    await vi.waitFor(() => expect(box.state()).toBeNull(), 5_000)
    for (const end of pairs) end.destroy() // it comes back, over another one
    await vi.waitFor(() => expect(box.state()).not.toBeNull(), 10_000)
  }
  for (const end of pairs) end.destroy()
  relay.close()
})
