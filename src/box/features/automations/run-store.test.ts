import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { AutomationDraft } from "../../../shared/contract/automations.ts"
import { stopClock } from "../../../shared/testing/stop-clock.ts"
import type { OpenDatabase } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { openPeopledDatabase } from "../../testing/served-features.ts"
import { createRunStore, type RunStore } from "./run-store.ts"
import { toColumns, type AutomationRow } from "./store.ts"

let stack: AsyncDisposableStack
let db: OpenDatabase["db"]
let runs: RunStore
const automation: AutomationRow = {
  ...toColumns(
    AutomationDraft.parse({
      name: "Clerk",
      prompt: "Look.",
      trigger: { kind: "manual" },
      budget: { runsPerDay: 1 },
    }),
  ),
  id: newId(),
  ownerId: "mia",
  folderId: null,
  hookHash: null,
  asker: "{}",
  nextRunAt: null,
  timedAt: null,
  failures: 0,
  problem: null,
  found: null,
  held: 0,
  createdAt: timestamp(),
}

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-runs-"))
  stack.defer(() => rm(directory, { recursive: true }))
  db = stack.use(await openPeopledDatabase(directory, ["mia"])).db
  runs = createRunStore(db)
  await db.insertInto("automations").values(automation).execute()
})
afterEach(() => stack.disposeAsync())

const add = (id: string) => runs.add(db, automation, { kind: "file", fileId: id, revision: 1 })
/** Adds skipped runs, as for files that arrive when the day's budget is used up. */
async function skip(count: number): Promise<void> {
  const skipped = Array.from({ length: count }, () => {
    const [id, createdAt] = [newId(), timestamp()]
    const { id: automationId, ownerId } = automation
    return { id, automationId, ownerId, status: "skipped" as const, cause: "{}", causeKey: id, createdAt }
  })
  for (let at = 0; at < count; at += 500)
    await db
      .insertInto("automationRuns")
      .values(skipped.slice(at, at + 500))
      .execute()
}
async function complete(id = ""): Promise<void> {
  await runs.applyTransition("started", id)
  await runs.end("completed", id, null)
}
const total = async () => (await runs.list(automation.id, { limit: 1, offset: 0 })).total

// Catches a list that no longer shows which of ten thousand files had no run.
test("lists a run for each of 10,000 files that arrive at once, even after one run has ended", async () => {
  const first = await add("first")
  await skip(10_000)
  await complete(first?.id)
  expect(await total()).toBe(10_001)
})

// Catches a daily budget that resets because the runs that used it up were deleted.
test("a day's runs are charged to its budget, however many were skipped since", async () => {
  stopClock()
  const first = await add("first")
  await skip(11_001)
  await complete(first?.id)
  expect(await add("next")).toMatchObject({ status: "skipped" })
})

// Catches a database that grows with each call while a stranger calls a webhook endlessly.
test("skipped runs are deleted even if no run ends", async () => {
  await add("first")
  await skip(11_005)
  await add("next")
  expect(await total()).toBe(11_001) // including the queued one
})
