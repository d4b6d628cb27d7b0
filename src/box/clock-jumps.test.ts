import { openTestDatabase } from "./core/database/testing/test-database.ts"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { openAgeClock } from "./core/age-clock.ts"
import type { Database } from "./core/database/database.ts"
import { newId, timestamp } from "./core/ids.ts"
import { createTrash, type Trash } from "./core/files/trash.ts"
import { createSessions } from "./features/accounts/sessions.ts"
import { createOutboxStore, createSendQueue } from "./features/support/ticket-store.ts"
import { createDownloadTickets } from "./http/authenticate.ts"
import { startFolderServer } from "./testing/folder-server.ts"
import { startTestBox } from "./testing/test-box.ts"

const dayMs = 24 * 3_600_000
const realNow = Date.now()
const ahead = Date.parse("2090-01-01")

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-clock-"))
  // timers that measure durations run normally, as they do when someone sets the clock
  vi.useFakeTimers({ toFake: ["Date"], now: realNow })
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(directory, { recursive: true })
})

const jumpTo = (ms: number) => vi.setSystemTime(ms)
const sinceStart = (ms: number) => Math.round((ms - realNow) / dayMs)

// Catches a single clock jump, or one start after it, that makes everything look old.
test("the age clock follows a jump forward by a week at most, and a jump back immediately", () => {
  const path = join(directory, "clock.json")
  const start = () => openAgeClock(path)
  const clock = start()
  jumpTo(realNow + 40 * dayMs)
  expect(sinceStart(clock.now())).toBe(0)
  jumpTo(realNow - 40 * dayMs)
  expect(sinceStart(clock.now())).toBe(-40)
  jumpTo(realNow)
  clock[Symbol.dispose]()
  jumpTo(realNow + 40 * dayMs)
  const second = start()
  expect(sinceStart(second.now())).toBe(0) // the clock hasn't yet advanced for a day by itself
  second[Symbol.dispose]()
  jumpTo(realNow + 41 * dayMs)
  const next = start()
  expect(sinceStart(next.now())).toBe(8)
  next[Symbol.dispose]()
  jumpTo(realNow - 1000 * dayMs) // a computer whose clock restarts at each boot, until it is set
  const third = start()
  expect(sinceStart(third.now())).toBe(-1000)
  third[Symbol.dispose]()
  jumpTo(realNow + 20 * dayMs)
  expect(sinceStart(start().now())).toBeLessThanOrEqual(20)
})

// Catches a box that repeatedly crashes and restarts, or a computer that repeatedly wakes with a wrong clock, for which time passes too
// fast.
test("starts, and jumps forward and back, advance the age clock by at most a week a day", () => {
  const path = join(directory, "clock.json")
  const start = (days: number) => {
    jumpTo(realNow + days * dayMs)
    using clock = openAgeClock(path)
    return sinceStart(clock.now())
  }
  start(0)
  start(1)
  for (let times = 0; times < 6; times++) {
    expect(start(40)).toBe(8)
    expect(start(40)).toBe(8)
    expect(start(1.1)).toBe(1)
  }
})

// Catches a computer that is used for an hour a day and keeps everything for months.
test("the age clock keeps up during short runs", () => {
  for (let day = 0; day < 35; day++) {
    jumpTo(realNow + day * dayMs)
    using clock = openAgeClock(join(directory, "clock.json"))
    expect(sinceStart(clock.now())).toBe(day)
  }
})

// Catches a long run, or a computer that sleeps at night, in which the age clock never catches up.
test("the age clock reaches the system clock's time within days", () => {
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ["Date", "performance", "setInterval", "clearInterval"], now: realNow })
  const clock = openAgeClock(join(directory, "clock.json"))
  jumpTo(realNow + 20 * dayMs)
  vi.advanceTimersByTime(3 * dayMs)
  expect(sinceStart(clock.now())).toBe(23)
})

const keep = async (trash: Trash, file: string) => (await trash.keep(file))[Symbol.dispose]()

// Catches a trash that is emptied because the clock was wrong for a minute, and one that is never emptied.
test("the trash keeps its files when the clock jumps forward, and ages those added while it was ahead", async () => {
  using clock = openAgeClock(join(directory, "clock.json"))
  const trash = createTrash(join(directory, "trash"), clock)
  const file = join(directory, "one.txt")
  await writeFile(file, "one")
  await keep(trash, file)
  jumpTo(realNow + 40 * dayMs)
  expect(await trash.purge()).toBe(0)
  jumpTo(ahead)
  await keep(trash, file)
  jumpTo(realNow)
  expect(await trash.purge()).toBe(0)
  const today = join(directory, "trash", timestamp(realNow).slice(0, 10))
  expect(readdirSync(today)).toHaveLength(2)
  for (const id of readdirSync(today)) expect(readFileSync(join(today, id, "one.txt"), "utf8")).toBe("one")
  await trash.purge(realNow + 32 * dayMs)
  expect(existsSync(today)).toBe(false)
})

// Catches a trash that a start with a dead clock battery dates to long ago, and the next start empties.
test.each([-20, -40, -400, -20_000])("a start with a clock %i days off keeps the trash", async (days) => {
  const file = join(directory, "one.txt")
  await writeFile(file, "one")
  const run = async (ms: number) => {
    jumpTo(ms)
    using clock = openAgeClock(join(directory, "clock.json"))
    const trash = createTrash(join(directory, "trash"), clock)
    await trash.purge()
    await keep(trash, file)
    await trash.purge()
  }
  await run(realNow)
  await run(realNow + days * dayMs)
  await run(realNow)
  const today = join(directory, "trash", timestamp(realNow).slice(0, 10))
  expect(readdirSync(join(directory, "trash"))).toHaveLength(1)
  expect(readdirSync(today)).toHaveLength(3)
})

const addUser = (db: Database) =>
  db.insertInto("users").values({ id: "u", email: "u@x.org", name: "U", createdAt: timestamp() }).execute()

// Catches a jump that signs everyone out, and a session or link that lasts for years.
test("sessions survive a jump forward, and none lasts too long after a jump back", async () => {
  using clock = openAgeClock(join(directory, "clock.json"))
  await using database = await openTestDatabase(join(directory, "casella.sqlite"))
  const { db } = database
  await addUser(db)
  const sessions = createSessions(db, () => undefined, clock)
  const signIn = async () => {
    const made = await sessions.exchange(await sessions.createSignInToken("u"), null, false)
    return made.status === "signed-in" ? (made.credentials?.token ?? "") : ""
  }
  const token = await signIn()
  jumpTo(realNow + 200 * dayMs)
  expect(await sessions.findSession(token)).not.toBeNull()
  jumpTo(ahead)
  await signIn()
  const link = await sessions.createSignInToken("u")
  jumpTo(realNow)
  expect(await sessions.exchange(link, null, false)).toEqual({ status: "refused" })
  await sessions.shortenFuture()
  const { latest } = await db
    .selectFrom("sessions")
    .select((e) => e.fn.max("expiresAt").as("latest"))
    .executeTakeFirstOrThrow()
  expect(sinceStart(Date.parse(latest))).toBe(180)
})

// Catches a single start with a clock years behind that signs everyone out.
test("sessions survive a start with a clock that is behind", async () => {
  await using database = await openTestDatabase(join(directory, "casella.sqlite"))
  const { db } = database
  await addUser(db)
  const start = async (ms: number) => {
    jumpTo(ms)
    using clock = openAgeClock(join(directory, "clock.json"))
    const sessions = createSessions(db, () => undefined, clock)
    await sessions.shortenFuture()
    return sessions
  }
  const sessions = await start(realNow)
  const made = await sessions.exchange(await sessions.createSignInToken("u"), null, false)
  const token = made.status === "signed-in" ? (made.credentials?.token ?? "") : ""
  await start(realNow - 4_000 * dayMs)
  expect(await (await start(realNow)).findSession(token)).not.toBeNull()
})

// Catches a report that waits until a year that the clock once showed.
test("a ticket postponed beyond the maximum is due", async () => {
  await using database = await openTestDatabase(join(directory, "casella.sqlite"))
  const { db } = database
  await addUser(db)
  const store = createOutboxStore(db)
  const id = newId()
  await store.insert({
    id,
    ownerId: "u",
    state: "waiting",
    type: "BUG",
    title: "It breaks",
    description: "Often",
    problem: null,
    attempts: 1,
    nextAttemptAt: timestamp(ahead),
    ticketId: null,
    status: null,
    statusChangedAt: null,
    createdAt: timestamp(),
    sentAt: null,
    context: "{}",
    draft: null,
  })
  const moments = { now: timestamp(), furthest: timestamp(Date.now() + dayMs) }
  expect((await createSendQueue(db).nextDue(moments))?.id).toBe(id)
})

// Catches a file whose retry waits until a year that the clock once showed.
test("a file postponed beyond the maximum is indexed", async () => {
  const dataDir = join(directory, "data")
  const start = () => startFolderServer({ dataDir })
  {
    await using server = await start()
    const client = server.getClient("alice")
    const params = { id: (await client.folders.create({ body: { name: "Documents" } })).vector.id }
    await client.files.upload({ params, file: new Blob(["x"]), fileName: "x.txt" })
    await server.fileIs("x.txt", "completed")
  }
  {
    await using database = await openTestDatabase(join(dataDir, "casella.sqlite"))
    await database.db
      .updateTable("files")
      .set({ status: "queued", phase: "queued", retryAt: timestamp(ahead) })
      .execute()
  }
  await using server = await start()
  await server.fileIs("x.txt", "completed")
})

// Catches a download that fails because the clock was set in the meantime.
test("a download ticket is valid for a minute, whatever the clock shows", () => {
  const tickets = createDownloadTickets()
  const path = tickets.issue("s", "/api/x")
  jumpTo(realNow + dayMs)
  expect(tickets.take("s", path)).toBe(true)
})

// Catches rows that "read all" leaves unread, files that wait for years, and a start that empties the trash.
test("a box whose clock was ahead works normally after it is corrected", async () => {
  jumpTo(ahead)
  await using box = await startTestBox()
  await box.client.notifications.send({ body: { title: "From the future" } })
  const { vector } = await box.client.folders.create({ body: { name: "Documents" } })
  const params = { id: vector.id }
  const { files } = await box.client.files.upload({ params, file: new Blob(["x"]), fileName: "x.txt" })
  await box.client.files.remove({ params: { ...params, fileId: files[0]?.id ?? "" } })
  jumpTo(realNow)
  await box.client.notifications.markAllRead({})
  expect((await box.client.notifications.unreadCount({})).count).toBe(0)
  jumpTo(realNow + 40 * dayMs)
  await box.restart()
  const kept = readdirSync(join(box.dataDir, "trash"), { recursive: true }).map(String)
  expect(kept.filter((path) => path.endsWith("x.txt"))).toHaveLength(1)
})
