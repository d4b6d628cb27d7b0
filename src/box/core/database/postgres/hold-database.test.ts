import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import {
  createLeaseExpiryCheck,
  acquireDatabase,
  type DatabaseLease,
  type OtherBoxes,
} from "./hold-database.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

async function createDatabase(): Promise<string> {
  const url = await server.createDatabase()
  await (await openPostgres(url))[Symbol.asyncDispose]()
  return url
}

const boxesAt = (address: string, changes: Partial<OtherBoxes> = {}): OtherBoxes => ({
  wait: () => Promise.resolve(address),
  onOutdated: () => undefined,
  onLapsed: () => undefined,
  findRunning: () => Promise.resolve(null),
  ...changes,
})

const lockConnections = `SELECT application_name AS name, query_start AS "usedAt", clock_timestamp() AS now FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'casella-lock%'`

/** Settles when the running box has seen the current standby boxes. */
async function waitUntilSeen(url: string, address: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const connections = async () =>
    (await client.query<{ name: string; usedAt: Date; now: Date }>(lockConnections)).rows
  try {
    const now = await waitFor(async () => {
      const waiting = (await connections()).find(({ name }) => name.endsWith(address))
      expect(waiting).toBeDefined()
      return waiting?.now ?? new Date()
    })
    await waitFor(async () => {
      const running = (await connections()).find(({ name }) => name === "casella-lock")
      expect(Number(running?.usedAt)).toBeGreaterThan(Number(now))
    })
  } finally {
    await client.end()
  }
}

// Catches a frozen box that can't be replaced because the server keeps its connection, and a box that loses only its database connection
// and keeps reporting an outage although another box has taken over.
test("replaces a box that doesn't use its connection, and notifies it through the box that took over", async () => {
  const url = await createDatabase()
  await using relay = await startRelay(url)
  const second = "http://127.0.0.1:2"
  let isTaken = false
  const [lost, onLapsed] = [vi.fn(), vi.fn()]
  const findRunning = async (addresses: readonly string[]) =>
    isTaken && addresses.includes(second) ? second : null
  await using stack = new AsyncDisposableStack()
  stack.use(await acquireDatabase(relay.url, boxesAt("http://127.0.0.1:1", { findRunning }), lost))
  const taking = acquireDatabase(url, boxesAt(second, { onLapsed }))
  await waitUntilSeen(url, second)
  expect(onLapsed).not.toHaveBeenCalled()
  relay.silence()
  stack.use(await taking)
  expect(onLapsed).toHaveBeenCalledOnce()
  expect(lost).not.toHaveBeenCalled()
  isTaken = true
  await waitFor(() => expect(lost).toHaveBeenCalled())
})

// Catches a frozen box that keeps its lease for a minute because the server is far away, and a box that loses it because the server or a
// computer was asleep.
test("ends a lease after some seconds, however often the server can be queried", () => {
  const seen = { pid: 1, holds: true, isIdle: true, usedAt: "10:00" }
  const getEnd = (times: number[]) => {
    const isUnused = createLeaseExpiryCheck()
    return times.find((at) => isUnused(seen, at))
  }
  const every = (ms: number) => Array.from({ length: 100 }, (_, index) => index * ms)
  expect(getEnd(every(200))).toBe(6_000)
  expect(getEnd(every(1_500))).toBe(9_000)
  expect(getEnd([0, 200, 60_000, 60_200, 120_000])).toBeUndefined()
  const isUnused = createLeaseExpiryCheck()
  for (const at of every(500)) expect(isUnused({ ...seen, usedAt: String(at) }, at)).toBe(false)
})

/** Expects that a new connection is refused in such a way that its statements may be repeated. */
async function expectRefusal({ admit }: DatabaseLease, url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await expect(admit(client)).rejects.toMatchObject({ code: "unavailable", isUnchanged: true })
  } finally {
    await client.end()
  }
}

// Catches a box that keeps using remembered data after another box wrote in its absence, and an answer that ends because the database isn't
// held for a moment.
test("ends a box that regains the database after another box had it", async () => {
  const url = await createDatabase()
  await using relay = await startRelay(url)
  const lost = vi.fn()
  await using first = await acquireDatabase(relay.url, null, lost)
  await first.claim()
  const isHeld = () => first.writes() !== null
  await waitFor(() => expect(isHeld()).toBe(true))
  relay.cut() // no other box took it
  await waitFor(() => expect(isHeld()).toBe(false))
  await waitFor(() => expect(isHeld()).toBe(true))
  relay.isClosed = true
  relay.cut()
  await waitFor(() => expect(isHeld()).toBe(false))
  await expectRefusal(first, url)
  await waitFor(async () => {
    await using other = await acquireDatabase(url)
    await other.claim()
  })
  expect(lost).not.toHaveBeenCalled()
  relay.isClosed = false
  await waitFor(() => expect(lost).toHaveBeenCalled())
})

// Catches a standby that takes over a database that accepts no changes, and then exits.
test("waits until the database accepts changes before it takes over", async () => {
  const url = await createDatabase()
  await using stack = new AsyncDisposableStack()
  const first = await acquireDatabase(url, boxesAt("http://127.0.0.1:1"))
  const address = "http://127.0.0.1:2"
  const taking = acquireDatabase(url, boxesAt(address))
  await waitUntilSeen(url, address)
  const client = new Client({ connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href })
  await client.connect()
  stack.defer(() => client.end())
  const setReadOnly = (isOn: boolean) =>
    client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = ${isOn}`,
    )
  const standbys = async () =>
    (
      await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE application_name LIKE $1", [
        `%${address}`,
      ])
    ).rows.map(({ pid }) => pid)
  await setReadOnly(true)
  await first[Symbol.asyncDispose]()
  const seen = new Set<number>()
  // It opens another connection for each attempt.
  await waitFor(async () => {
    for (const pid of await standbys()) seen.add(pid)
    expect(seen.size).toBeGreaterThan(2)
  })
  await setReadOnly(false)
  stack.use(await taking)
})

// Catches a box that ends because the server still has its old connection after an outage, although no other box runs, and a box that can't
// stop because the server no longer answers.
test("lets a box take the database again if its connection broke on its side only", async () => {
  const url = await createDatabase()
  await using relay = await startRelay(url)
  const client = new Client({ connectionString: url })
  await client.connect()
  const locks =
    "FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND objid = 8486 AND granted AND datname = current_database()"
  const holders = async () => (await client.query<{ pid: number }>(`SELECT pid ${locks}`)).rows
  const lost = vi.fn()
  try {
    await using held = await acquireDatabase(relay.url, null, lost)
    await held.claim()
    for (const breaks of [
      async () => relay.cutClients(),
      async () => relay.cutClients(),
      () => client.query(`SELECT pg_terminate_backend(pid) ${locks}`),
    ]) {
      const before = await holders()
      await breaks()
      await waitFor(async () => {
        const now = await holders()
        expect(now).toHaveLength(1)
        expect(now).not.toEqual(before)
        expect(lost).not.toHaveBeenCalled()
      })
      await waitFor(() => expect(held.writes()).not.toBeNull())
    }
    await expect(acquireDatabase(url)).rejects.toThrow("Another server is active")
    relay.silence()
  } finally {
    await client.end()
  }
  expect(lost).not.toHaveBeenCalled()
})
