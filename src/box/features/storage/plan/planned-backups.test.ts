import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"
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

const planOf = (changes: Partial<BackupPlan> = {}): BackupPlan => ({
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
// Would catch: a plan that makes nothing, tells nothing of it, or forgets over a restart that the day has its backup.
it("makes the day's backup, tells of it, and no second one after a restart", async () => {
  await set(planOf())
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
  await expect(set(planOf({ directory: path }))).rejects.toMatchObject({
    code: "validation",
    details: [{ field: "plan.directory" }],
  })
  expect((await state()).plan).toBeNull()
})

// Would catch: backups that are lost together with what they are of, and that the box itself cleans away.
it("refuses a directory within the data", async () => {
  await expect(set(planOf({ directory: join(box.dataDir, "logs") }))).rejects.toThrow("lost together")
})

// Would catch: everyone's data written to a place that one member chooses.
it("is the owners' alone", async () => {
  const member = await addUser(box, "ann@example.com")
  await expect(member.storage.planBackups({ body: { plan: planOf() } })).rejects.toMatchObject({
    code: "forbidden",
  })
  await expect(member.storage.backupPlan()).rejects.toMatchObject({ code: "forbidden" })
})
