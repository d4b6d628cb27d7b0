import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { OpenDatabase } from "../../core/database/database.ts"
import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { createRunStore, type RunStore } from "./run-store.ts"
import { createSchedule, nextTime, type Schedule } from "./schedule.ts"
import { createAutomationStore, type AutomationStore, type AutomationRow } from "./store.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let directory: string
let database: OpenDatabase
let store: AutomationStore
let runs: RunStore
let schedule: Schedule
/** The tests' clock. */
let now: number

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-schedule-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  await database.db
    .insertInto("users")
    .values({ id: "ada", email: "ada@example.com", name: "Ada", createdAt: "" })
    .execute()
  store = createAutomationStore(database.db)
  runs = createRunStore(database.db)
  schedule = createSchedule({ store, runs, now: () => now })
  now = Date.parse("2026-11-27T08:00:00Z")
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

async function add(cron: string, timeZone = "UTC"): Promise<string> {
  const id = newId()
  const row: Omit<AutomationRow, "failures" | "found" | "problem"> = {
    id,
    ownerId: "ada",
    name: "Clerk",
    enabled: 1,
    kind: "schedule",
    trigger: JSON.stringify({ kind: "schedule", cron, timeZone }),
    folderId: null,
    hookHash: null,
    assistantId: null,
    modelId: null,
    prompt: "Look.",
    vectorIds: "[]",
    reading: "auto",
    notify: "always",
    watch: 0,
    minutes: 30,
    runsPerDay: 1_000,
    asker: "{}",
    nextRunAt: null,
    timedAt: timestamp(now),
    held: 0,
    createdAt: "",
  }
  const nextRunAt = nextTime({ ...row, failures: 0, found: null, problem: null }, now)
  await store.transaction((transaction) => store.insert(transaction, { ...row, nextRunAt }))
  return id
}

/** Returns the scheduled times that have runs, in order. `look` marks each run as completed, as if the box kept up. */
async function getTimes(id: string): Promise<string[]> {
  const { rows } = await runs.list(id, { limit: 1_000, offset: 0 })
  return rows.map(({ causeKey }) => causeKey.slice(0, 16)).toSorted()
}
async function startDueRuns(): Promise<number> {
  const next = await schedule.startDueRuns()
  await database.db.updateTable("automationRuns").set({ status: "completed" }).execute()
  return next
}
/** Advances the time in the way that timers do. */
async function advance(ms: number): Promise<void> {
  const until = now + ms
  while (now < until) {
    now = Math.min(until, await startDueRuns())
    if (now === until) await startDueRuns()
  }
}

// Catches a scheduled time that runs twice, late, or not at all.
test("each scheduled time runs once, at its time", async () => {
  const id = await add("*/20 9 * * *")
  await advance(day)
  expect(await getTimes(id)).toEqual(["2026-11-27T09:00", "2026-11-27T09:20", "2026-11-27T09:40"])
  const { rows } = await runs.list(id, { limit: 10, offset: 0 })
  expect(rows.map(({ status }) => status)).toEqual(["completed", "completed", "completed"])
})

// Catches a week of missed times that all run at the next start, or none of them.
test("times missed while the box was off run once, at the start", async () => {
  const id = await add("0 9 * * *")
  now += 7 * day
  await startDueRuns()
  expect(await getTimes(id)).toEqual(["2026-11-27T09:00"])
  await advance(day)
  expect(await getTimes(id)).toEqual(["2026-11-27T09:00", "2026-12-04T09:00"])
})

// Catches a scheduled time that is repeated or permanently dropped after someone set the clock.
test("changing the clock neither repeats nor drops runs", async () => {
  const id = await add("0 * * * *")
  const changes = [-3, 5, -26, 2, 30, -1, -1, 48, -72, 1, 7, -5, 12, -24, 24, -2, 3, -50, 50, -0.5]
  const due = new Set<string>()
  for (const hours of changes) {
    for (let quarter = 0; quarter < 10; quarter++) {
      await advance(15 * minute)
      const at = new Date(now)
      if (at.getUTCMinutes() < 15) due.add(`${at.toISOString().slice(0, 14)}00`)
    }
    now += hours * hour
    if (hours < 0) await schedule.clockChanged()
  }
  await advance(2 * hour)
  const times = await getTimes(id)
  expect(new Set(times).size).toBe(times.length)
  // Every hour that the clock showed has exactly one run.
  expect([...due].filter((time) => !times.includes(time))).toEqual([])
})

// Catches a clock that is put back by a year while the box is off, so that nothing runs for a year.
test("a start after the clock was put back continues from the current time", async () => {
  const id = await add("0 9 * * *")
  now += 400 * day
  await startDueRuns()
  now -= 399 * day
  await schedule.clockChanged()
  await advance(day)
  expect(await getTimes(id)).toContain("2026-11-28T09:00")
})

// Catches an automation with an unreadable schedule that blocks all others.
test("a schedule damaged by an altered backup never runs, and others do", async () => {
  const broken = await add("0 9 * * *")
  await store.transaction((transaction) =>
    store.update(transaction, broken, { trigger: '{"kind":"schedule"}' }),
  )
  const id = await add("0 9 * * *")
  await advance(day)
  expect(await getTimes(id)).toEqual(["2026-11-27T09:00"])
})

const setNext = (id: string, nextRunAt: string) =>
  store.transaction((transaction) => store.update(transaction, id, { nextRunAt }))
const getNext = async (id: string) => (await store.find(id))?.nextRunAt

// Catches a server that checks times without a pause because of an invalid stored time, and a run caused by such a time.
test.each(["", "1", "soon", "soon 1", "2026-11-27T08:30:00.000+09:00", "2026-11-31T08:30:00.000Z"])(
  "the stored time %j causes no run, and is calculated again",
  async (damaged) => {
    const id = await add("0 9 * * *")
    await setNext(id, damaged)
    expect(await startDueRuns()).toBeGreaterThan(now)
    expect(await getTimes(id)).toEqual([])
    expect(await getNext(id)).toBe("2026-11-27T09:00:00.000Z")
    await advance(day)
    expect(await getTimes(id)).toEqual(["2026-11-27T09:00"])
  },
)

// Catches an automation that never runs again because its damaged time sorts after all others.
test("a start recalculates a damaged time, even if another automation is due before it", async () => {
  await add("* * * * *")
  const id = await add("0 9 * * *")
  await setNext(id, "soon")
  await schedule.clockChanged()
  expect(await getNext(id)).toBe("2026-11-27T09:00:00.000Z")
})
