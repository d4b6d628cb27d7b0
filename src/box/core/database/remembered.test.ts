import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { type OpenDatabase, createRemembered } from "./database.ts"
import { openSqlite } from "./sqlite/open-sqlite.ts"

let directory: string
let here: OpenDatabase
/** The same database, opened as another process does. */
let otherConnection: OpenDatabase
let asked: number

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-remembered-"))
  here = openSqlite(join(directory, "casella.sqlite"))
  otherConnection = openSqlite(join(directory, "casella.sqlite"))
  asked = 0
})
afterEach(async () => {
  await here[Symbol.asyncDispose]()
  await otherConnection[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const add = (to: Pick<OpenDatabase, "db">, id: string) =>
  to.db.insertInto("workspaces").values({ id, name: id, createdAt: "" }).execute()

async function find(id: string) {
  asked++
  const row = here.db.selectFrom("workspaces").select("name").where("id", "=", id)
  return (await row.executeTakeFirst())?.name ?? null
}

const open = (max = 10) => {
  const remembered = createRemembered<string>(here.state, max)
  return (id: string) => remembered(id, () => find(id))
}

it("reads unchanged data once", async () => {
  await add(here, "a")
  const ask = open()
  expect([await ask("a"), await ask("a"), asked]).toEqual(["a", "a", 1])
})

// Catches a key that stays valid after it was revoked, here or by a command.
it("reads again after any write, by this process or another", async () => {
  await add(here, "a")
  await add(here, "b")
  const ask = open()
  expect([await ask("a"), await ask("b")]).toEqual(["a", "b"])
  await here.db.deleteFrom("workspaces").where("id", "=", "a").execute()
  expect([await ask("a"), await ask("b")]).toEqual([null, "b"])
  await otherConnection.db.deleteFrom("workspaces").where("id", "=", "b").execute()
  expect(await ask("b")).toBeNull()
})

// Catches uncommitted or rolled-back writes of a transaction that are remembered as real.
it("remembers nothing from an unfinished transaction", async () => {
  const ask = open()
  const early = here.db.transaction().execute(async (transaction) => {
    await add({ db: transaction }, "a")
    const during = ask("a") // runs after the transaction
    await add({ db: transaction }, "b")
    return { during }
  })
  await expect((await early).during).resolves.toBe("a")
  expect([await ask("a"), await ask("b")]).toEqual(["a", "b"])
  const undone = here.db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("workspaces").where("id", "=", "a").execute()
    throw new Error("Taken back.")
  })
  await expect(undone).rejects.toThrow("Taken back.")
  expect(await ask("a")).toBe("a")
})

// Catches memory that fills up with keys that callers make up.
it("remembers neither missing values nor more than the maximum", async () => {
  const ask = open(2)
  await ask("x")
  await ask("x")
  expect(asked).toBe(2)
  for (const id of ["a", "b", "c"]) await add(here, id)
  for (const id of ["a", "b", "c", "c", "a"]) await ask(id)
  expect(asked).toBe(2 + 4)
})
