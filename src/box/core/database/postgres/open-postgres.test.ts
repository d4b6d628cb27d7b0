import { Socket } from "node:net"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { among } from "../sql-helpers.ts"
import { DatabaseBusy, DatabaseUnusable, type OpenDatabase } from "../database.ts"
import { migrationsOfPostgres as migrations } from "./migrations/registry.ts"
import { openPostgres } from "./open-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

/** How long the server keeps an idle transaction. */
const idleTimeoutMs = 30_000

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const user = (id: string) => ({
  id,
  email: `${Buffer.from(id).toString("hex")}@example.com`,
  name: id,
  createdAt: "2026-01-01",
})
const add = ({ db }: OpenDatabase, id: string) => db.insertInto("users").values(user(id)).execute()
const ids = async ({ db }: OpenDatabase) =>
  (await db.selectFrom("users").select("id").orderBy("id").execute()).map(({ id }) => id)

const nameOf = (url: string) => new URL(url).pathname.slice(1)
/** The server's own database, for statements about another one. */
const serverOf = (url: string) => Object.assign(new URL(url), { pathname: "/postgres" }).href

async function asked(url: string, statement: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

const reason = async (opening: Promise<OpenDatabase>): Promise<string> => {
  const error: unknown = await opening.then(
    () => "it opened",
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(DatabaseUnusable)
  return (error as Error).message
}

// Catches boxes that start together on an empty server, where one fails or both create half of the schema.
test("creates the schema once when boxes start together, and shares their rows", async () => {
  const url = await server.createDatabase()
  const [first, second, third] = await Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
  await using stack = new AsyncDisposableStack()
  for (const one of [first, second, third]) stack.use(one)
  await add(first, "a")
  await add(second, "b")
  expect(await ids(third)).toEqual(["a", "b"])
  expect(await asked(url, `SELECT version FROM "schemaVersion"`)).toEqual([{ version: migrations.length }])
})

// Catches an update that leaves half its changes behind when it fails.
test("changes nothing when a migration fails, and applies it when it works", async () => {
  const url = await server.createDatabase()
  await (await openPostgres(url))[Symbol.asyncDispose]()
  const good = {
    name: "good",
    sql: "CREATE TABLE added (id integer); INSERT INTO added VALUES (1);",
  }
  const bad = { name: "bad", sql: "INSERT INTO nowhere VALUES (1);" }
  expect(await reason(openPostgres(url, [...migrations, good, bad]))).toContain("nowhere")
  expect(await asked(url, "SELECT to_regclass('added') AS name")).toEqual([{ name: null }])
  await (await openPostgres(url, [...migrations, good]))[Symbol.asyncDispose]()
  expect(await asked(url, "SELECT id FROM added")).toEqual([{ id: 1 }])
  expect(await reason(openPostgres(url))).toContain("newer version of Casella")
})

// Catches a stack trace or a password in a message that should say what to change.
test("reports why a server can't be used", async () => {
  const url = new URL(await server.createDatabase())
  const socket = url.searchParams.get("host") ?? ""
  expect(await reason(openPostgres("postgres://casella:secret@127.0.0.1:9/casella"))).toBe(
    "The PostgreSQL database can't be used: the server can't be reached. Check that it is running, and check --database-url.",
  )
  expect(await reason(openPostgres(`postgres://test@localhost/nothing?host=${socket}`))).toContain(
    "no database of that name",
  )
  expect(await reason(openPostgres(`postgres://stranger@localhost${url.pathname}?host=${socket}`))).toContain(
    "refuses the name or the password",
  )
  await asked(url.href, "CREATE ROLE guest LOGIN")
  expect(await reason(openPostgres(`postgres://guest@localhost${url.pathname}?host=${socket}`))).toContain(
    "may not make tables or extensions",
  )
})

// Catches two boxes that both find room for the last item, because the code relies on SQLite's single writer.
test("keeps a transaction's reads valid until it writes, despite other boxes", async () => {
  const url = await server.createDatabase()
  await using first = await openPostgres(url)
  await using second = await openPostgres(url)
  const max = 3
  const addIfRoom = ({ db }: OpenDatabase, id: string) =>
    db.transaction().execute(async (trx) => {
      const { count } = await trx
        .selectFrom("users")
        .select((e) => e.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow()
      if (count < max) await trx.insertInto("users").values(user(id)).execute()
    })
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => addIfRoom(index % 2 === 0 ? first : second, `u${index}`)),
  )
  expect(await ids(first)).toHaveLength(max)
})

// Catches a box that has to be restarted after its server was, or one that reports success in the meantime.
test("reports, rolls back and replaces connections that break during a write", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url)
  const cutOff = database.db.transaction().execute(async (trx) => {
    await trx.insertInto("users").values(user("cut")).execute()
    await asked(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'casella-command' AND datname = current_database()",
    )
    await trx.insertInto("users").values(user("off")).execute()
  })
  await expect(cutOff).rejects.toMatchObject({ code: "unavailable" })
  await expect(cutOff).rejects.toBeInstanceOf(AppError)
  await add(database, "after")
  expect(await ids(database)).toEqual(["after"])
})

// Catches changes that fail for as long as connections are used that were opened while the database accepted none.
test("reports a database that doesn't accept changes, and changes it as soon as it accepts them", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url)
  const setReadOnly = (isOn: boolean) =>
    asked(serverOf(url), `ALTER DATABASE "${nameOf(url)}" SET default_transaction_read_only = ${isOn}`)
  const reads = () => Promise.all(Array.from({ length: 10 }, () => ids(database)))
  await add(database, "before")
  await setReadOnly(true)
  await asked(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'casella-command' AND datname = current_database()",
  )
  await waitFor(reads) // on ten connections that accept no changes
  const readOnly = {
    code: "unavailable",
    message: expect.stringContaining("doesn't accept changes") as string,
  }
  await expect(add(database, "refused")).rejects.toMatchObject(readOnly)
  await expect(database.requireChangesAccepted?.()).rejects.toMatchObject(readOnly)
  await reads()
  await setReadOnly(false)
  await expect(database.requireChangesAccepted?.()).rejects.toMatchObject(readOnly)
  await database.requireChangesAccepted?.()
  await Promise.all(Array.from({ length: 10 }, (_, number) => add(database, `after${number}`)))
  expect(await ids(database)).toHaveLength(11)
})

// Catches a server that reports itself as ready while the disk of its database is full.
test("reports a database whose disk is full until there is space again", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url)
  // The same error as that of a full disk, for as long as the row is there.
  await asked(
    url,
    `CREATE TABLE "full" AS SELECT 1 AS one;
    CREATE FUNCTION "refuse"() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM "full") THEN RAISE SQLSTATE '53100'; END IF; END $$;
    CREATE FUNCTION "refuseRow"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '53100'; END $$;
    CREATE TRIGGER "refused" BEFORE INSERT ON users EXECUTE FUNCTION "refuseRow"();
    CREATE EVENT TRIGGER "refused" ON ddl_command_start EXECUTE FUNCTION "refuse"()`,
  )
  await database.requireChangesAccepted?.() // it isn't known yet
  const full = { code: "disk_full" }
  await expect(add(database, "refused")).rejects.toMatchObject(full)
  await expect(database.requireChangesAccepted?.()).rejects.toMatchObject(full)
  await expect(database.requireChangesAccepted?.()).rejects.toMatchObject(full)
  await asked(url, 'DELETE FROM "full"')
  await database.requireChangesAccepted?.()
  expect(await asked(url, `SELECT to_regclass('"spaceTaken"') AS name`)).toEqual([{ name: null }])
})

// Catches a request that hangs for as long as another program holds a lock.
test("reports a write that waits too long for another program", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 50 })
  const other = new Client({ connectionString: url })
  await other.connect()
  await other.query("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
  await expect(add(database, "late")).rejects.toBeInstanceOf(DatabaseBusy)
  await other.query("ROLLBACK")
  await other.end()
  await add(database, "then")
  expect(await ids(database)).toEqual(["then"])
})

// Catches an answer that can't be stored, or a chat that is found by another's ID, because of the one character that PostgreSQL's text
// can't contain.
test("returns every character unchanged, and finds it", async () => {
  await using database = await openPostgres(await server.createDatabase())
  const names = [
    "zero\0byte",
    "zero\uFFFE0byte",
    "\uFFFE",
    "\uFFFE1\0",
    "\uFFFF",
    "zero\\u0000byte",
    "\\\0",
    "\\",
  ]
  for (const [index, name] of names.entries())
    await database.db
      .insertInto("users")
      .values({ ...user(String(index)), name })
      .execute()
  for (const name of names) {
    const found = database.db.selectFrom("users").select("name")
    expect(await found.where("name", "=", name).execute()).toEqual([{ name }])
    expect(await found.where("name", "in", among([name])).execute()).toEqual([{ name }])
  }
})

// Catches a database in another language, in which "É" sorts next to "E" and pages of a list overlap.
test("orders text by its bytes, whatever the language of the database", async () => {
  await using database = await openPostgres(await server.createDatabase())
  for (const id of ["b", "É", "a", "Z", "~", "é"]) await add(database, id)
  expect(await ids(database)).toEqual(["Z", "a", "b", "~", "É", "é"])
})

// Catches a connection that stays in a transaction that never started, so that the next use of it fails.
test("reports a transaction that waits too long for another box's, and leaves nothing behind", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 50 })
  await using other = await openPostgres(url)
  const ended = Promise.withResolvers<void>()
  const hasStarted = Promise.withResolvers<void>()
  const long = other.db.transaction().execute(async (trx) => {
    await trx.insertInto("users").values(user("first")).execute()
    hasStarted.resolve()
    await ended.promise
  })
  await hasStarted.promise
  const write = () =>
    database.db.transaction().execute((trx) => trx.insertInto("users").values(user("second")).execute())
  await expect(write()).rejects.toBeInstanceOf(DatabaseBusy)
  expect(await ids(database)).toEqual([])
  ended.resolve()
  await long
  await write()
  expect(await ids(database)).toEqual(["first", "second"])
})

// Catches a start that gives up because another program wrote for some seconds, so that no box runs.
test("waits with a starting box's writes until other programs are done", async () => {
  const url = await server.createDatabase()
  const start = { isOver: false, waits: vi.fn(), onReconnect: vi.fn() }
  await using starting = await openPostgres(url, migrations, { lockTimeoutMs: 50, start })
  await using other = await openPostgres(url)
  const [ended, hasStarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const long = other.db.transaction().execute(async () => {
    hasStarted.resolve()
    await ended.promise
  })
  await hasStarted.promise
  const write = (id: string) =>
    starting.db.transaction().execute((trx) => trx.insertInto("users").values(user(id)).execute())
  const writes = Promise.all([write("first"), write("second")])
  await waitFor(() => expect(start.waits).toHaveBeenCalledOnce())
  ended.resolve()
  await Promise.all([writes, long])
  expect(await ids(starting)).toEqual(["first", "second"])

  start.isOver = true
  const blocker = new Client({ connectionString: url })
  await blocker.connect()
  await blocker.query("BEGIN; SELECT pg_advisory_xact_lock(8484)")
  await expect(write("third")).rejects.toBeInstanceOf(DatabaseBusy)
  await blocker.end()
})

// Catches lists that can't be loaded because all connections wait for a lock that another program holds.
test("lets reads proceed, however many writes wait", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 30_000 })
  await using other = await openPostgres(url)
  const [ended, hasStarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const long = other.db.transaction().execute(async () => {
    hasStarted.resolve()
    await ended.promise
  })
  await hasStarted.promise
  const writes = Array.from({ length: 40 }, (_, index) =>
    database.db.transaction().execute((trx) =>
      trx
        .insertInto("users")
        .values(user(`w${index}`))
        .execute(),
    ),
  )
  expect(await ids(database)).toEqual([])
  ended.resolve()
  await Promise.all([long, ...writes])
  expect(await ids(database)).toHaveLength(40)
})

// Catches a write that waits forever for others, and one that never runs because earlier ones gave up.
test("reports a write that can't start in time, and runs the next ones", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 50 })
  const ended = Promise.withResolvers<void>()
  const hasStarted = Promise.withResolvers<void>()
  const write = (id: string) =>
    database.db.transaction().execute((trx) => trx.insertInto("users").values(user(id)).execute())
  const long = database.db.transaction().execute(async () => {
    hasStarted.resolve()
    await ended.promise
  })
  await hasStarted.promise
  const late = write("late")
  await expect(late).rejects.toBeInstanceOf(DatabaseBusy)
  // It may wait for the server or the network: the message must not tell users to close a program.
  await expect(late).rejects.toThrow("The database takes too long to respond.")
  ended.resolve()
  await long
  await write("then")
  expect(await ids(database)).toEqual(["then"])
})

/** Keeps all ten connections of a database busy with lists that wait for a lock; returns a function that ends this. */
async function occupyConnections(
  url: string,
  { db }: OpenDatabase,
  outcome = (read: Promise<unknown>): Promise<unknown> => read,
) {
  const other = new Client({ connectionString: url })
  await other.connect()
  await other.query("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
  const reads = Array.from({ length: 10 }, () => outcome(db.selectFrom("users").select("id").execute()))
  await expect.poll(() => connectionsThat(url, "wait_event_type = 'Lock'")).toBe(10)
  return async () => {
    await other.query("ROLLBACK")
    await other.end()
    await Promise.all(reads)
  }
}
const connectionsThat = async (url: string, condition: string) => {
  const counted = await asked(
    url,
    `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'casella-command' AND ${condition}`,
  )
  return counted[0]?.["count"]
}

// Catches an answer that is interrupted and loses text because a piece of it got no connection in time. A statement that wasn't sent is
// known not to have run, and is retried.
test("reports that a statement without a connection in time wasn't run", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 60_000 })
  const end = await occupyConnections(url, database)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const late = add(database, "late")
  const outcome = expect(late).rejects.toBeInstanceOf(DatabaseBusy)
  await waitFor(() => expect(database.waiting()).toBe(1))
  vi.advanceTimersByTime(5_000)
  vi.useRealTimers()
  await outcome
  await end()
  expect(await ids(database)).toEqual([])
  await add(database, "then")
  expect(await ids(database)).toEqual(["then"])
})

// Catches requests that fail, and answers that are interrupted, because an overloaded box has to reopen connections.
test("keeps idle connections open", async () => {
  const url = await server.createDatabase()
  await using database = await openPostgres(url, migrations, { lockTimeoutMs: 60_000 })
  const end = await occupyConnections(url, database)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  await end()
  vi.advanceTimersByTime(3_600_000)
  vi.useRealTimers()
  await add(database, "one")
  expect(await connectionsThat(url, "true")).toBe(10)
})

/** Opens this many database connections, which are idle afterwards. */
const useConnections = async ({ db }: OpenDatabase, count: number) => {
  await Promise.all(Array.from({ length: count }, () => db.selectFrom("users").select("id").execute()))
}

// Catches requests that hang for 75 seconds in the morning because a router forgot the idle connections overnight.
test.each([
  ["the computer slept", { systemMs: 31_000, monotonicMs: 0 }],
  ["the clock was set back by an hour", { systemMs: 31_000 - 3_600_000, monotonicMs: 31_000 }],
  ["the clock was set back by as much", { systemMs: 0, monotonicMs: 31_000 }],
])("replaces connections that went silent while idle before they are used, if %s", async (_, passed) => {
  await using relay = await startRelay(await server.createDatabase())
  await using database = await openPostgres(relay.url)
  await useConnections(database, 5)
  relay.silence()
  const getMonotonicMs = performance.now.bind(performance)
  vi.useFakeTimers({ toFake: ["Date"] })
  const monotonic = vi
    .spyOn(performance, "now")
    .mockImplementation(() => getMonotonicMs() + passed.monotonicMs)
  try {
    vi.setSystemTime(Date.now() + passed.systemMs)
    await add(database, "morning")
    await useConnections(database, 5)
    expect(await ids(database)).toEqual(["morning"])
  } finally {
    vi.useRealTimers()
    monotonic.mockRestore()
  }
})

// Catches an idle connection that a router forgets after some minutes, and one whose other side vanished.
test("sends keep-alive packets on every idle connection", async () => {
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive")
  await using database = await openPostgres(await server.createDatabase())
  await useConnections(database, 2)
  expect(keepAlive.mock.calls.length).toBeGreaterThan(1)
  for (const call of keepAlive.mock.calls) expect(call).toEqual([true, 10_000])
  keepAlive.mockRestore()
})

// Catches requests that hang for 75 seconds because the answer was lost, and slow statements that are interrupted.
test("fails a statement soon if its answer was lost, but not a slow one", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using database = await openPostgres(relay.url, migrations, {
    lockTimeoutMs: 60_000,
    pollIntervalMs: 20,
  })
  const end = await occupyConnections(url, database)
  const checkCount = relay.accepted
  await waitFor(() => expect(relay.accepted).toBeGreaterThan(checkCount + 10))
  await end()

  const endOther = await occupyConnections(url, database, (read) =>
    expect(read).rejects.toMatchObject({ code: "unavailable" }),
  )
  relay.silence()
  await endOther()
  expect(await ids(database)).toEqual([])
})

// Catches writes that fail for half a minute because the server keeps the lock of a transaction whose connection is gone.
test("ends a silent transaction on the server as well", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using database = await openPostgres(relay.url, migrations, { pollIntervalMs: 20 })
  await using other = await openPostgres(url)
  const held = () =>
    asked(url, "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 8484 AND granted")
  for (const silence of [() => relay.silence(), () => ((relay.isClosed = true), relay.silence())]) {
    const silent = database.db.transaction().execute(async (trx) => {
      await trx.insertInto("users").values(user("silent")).execute()
      silence()
      await trx.insertInto("users").values(user("lost")).execute()
    })
    await expect(silent).rejects.toMatchObject({ code: "unavailable" })
    relay.isClosed = false
    const started = performance.now()
    await waitFor(async () => expect(await held()).toEqual([]))
    expect(performance.now() - started).toBeLessThan(idleTimeoutMs / 2)
  }
  await add(other, "after")
  expect(await ids(database)).toEqual(["after"])
})

// Catches a large write that fails each time because its transfer takes long.
test("gives a large statement time to arrive over a slow network", async () => {
  await using relay = await startRelay(await server.createDatabase())
  await using database = await openPostgres(relay.url, migrations, { pollIntervalMs: 100 })
  await useConnections(database, 1)
  const pass = relay.keep()
  const checkCount = relay.accepted
  const added = database.db
    .insertInto("users")
    .values({ ...user("large"), name: "x".repeat(20_000_000) })
    .execute()
  added.catch(() => undefined)
  await waitFor(() => expect(relay.accepted).toBeGreaterThan(checkCount + 6))
  pass()
  await added
})

// Catches requests that hang for 75 seconds because the server or the network is completely silent.
test("fails statements soon when the server answers no one", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using database = await openPostgres(relay.url, migrations, {
    lockTimeoutMs: 60_000,
    pollIntervalMs: 20,
  })
  const end = await occupyConnections(url, database, (read) =>
    expect(read).rejects.toMatchObject({ code: "unavailable" }),
  )
  relay.isClosed = true
  relay.silence()
  await end()
  relay.isClosed = false
  expect(await ids(database)).toEqual([])
})

// Catches a box or a command that takes more than a minute to end because the server is silent.
test("closes a database within seconds when the server doesn't answer", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  const database = await openPostgres(relay.url, migrations, {
    lockTimeoutMs: 60_000,
    pollIntervalMs: 3_600_000,
  })
  const end = await occupyConnections(url, database, (read) =>
    expect(read).rejects.toMatchObject({ code: "unavailable" }),
  )
  relay.isClosed = true
  relay.silence()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    let isClosed = false
    const closing = database[Symbol.asyncDispose]().then(() => (isClosed = true))
    await waitFor(() => expect(isClosed).toBe(true)) // this also advances the timers
    await closing
  } finally {
    vi.useRealTimers()
  }
  await end()
})
