import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"
import { stopClock } from "../../../../shared/testing/stop-clock.ts"
import { addUser, startTestBox, type TestBox } from "../../../testing/test-box.ts"

let box: TestBox
let directory: string
beforeEach(async () => {
  box = await startTestBox()
  directory = await mkdtemp(join(tmpdir(), "casella-planned-"))
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const getPlan = (changes: Partial<BackupPlan> = {}): BackupPlan => ({
  every: "day",
  weekday: 1,
  at: null,
  directory,
  keep: 2,
  ...changes,
})
const set = async (plan: BackupPlan | null) =>
  (await box.client.storage.planBackups({ body: { plan } })).state
const state = async () => (await box.client.storage.backupPlan()).state
const archives = async () => (await readdir(directory)).filter((name) => name.endsWith(".tgz")).toSorted()
const ended = () => expect.poll(async () => (await state()).running).toBe(false)
// Catches a plan that makes no backup, reports nothing, or forgets after a restart that today's backup exists.
it("makes the day's backup, reports it, and makes no second one after a restart", async () => {
  stopClock()
  await set(getPlan())
  await ended()
  const [name, ...more] = await archives()
  expect(more).toEqual([])
  expect((await state()).last).toMatchObject({ path: join(directory, name ?? ""), error: null })
  expect((await state()).last?.sizeBytes).toBeGreaterThan(100)
  await box.restart()
  expect(Date.parse((await state()).nextAt ?? "")).toBeGreaterThan(Date.now())
  await ended()
  expect(await archives()).toEqual([name])
})

it.each(["relative", "/nowhere/at/all"])("refuses %s, naming the field", async (path) => {
  await expect(set(getPlan({ directory: path }))).rejects.toMatchObject({
    code: "validation",
    details: [{ field: "plan.directory" }],
  })
  expect((await state()).plan).toBeNull()
})

// Catches backups that are lost together with their data, or that the server itself removes.
it("refuses a directory inside the data directory", async () => {
  await expect(set(getPlan({ directory: join(box.dataDir, "logs") }))).rejects.toThrow("lost together")
})

// Catches everyone's data written to a directory that a member chooses.
it("is available only to owners", async () => {
  const member = await addUser(box, "ann@example.com")
  await expect(member.storage.planBackups({ body: { plan: getPlan() } })).rejects.toMatchObject({
    code: "forbidden",
  })
  await expect(member.storage.backupPlan()).rejects.toMatchObject({ code: "forbidden" })
})
