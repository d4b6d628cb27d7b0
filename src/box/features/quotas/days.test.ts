import { expect, test } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { createQuotaGuard } from "./guard.ts"
import { createQuotas } from "./service.ts"

const none = { files: null, bytes: null, answers: null, tokens: null }
const at = (day: string, time: string) => Date.parse(`${day}T${time}Z`)

/** A person `u` in a separate database, with an adjustable clock. */
async function oneClock(bytes = 0) {
  const { db, ...database } = openSqlite(":memory:")
  const createdAt = "2026-01-01T00:00:00.000Z"
  await db.insertInto("users").values({ id: "u", email: "u@x.y", name: "U", createdAt }).execute()
  const clock = { now: at("2026-03-01", "23:59:59") }
  const open = () =>
    createQuotas({
      db,
      people: () => Promise.resolve([{ id: "u", name: "U" }]),
      workspaces: () => Promise.resolve([]),
      getWorkspaces: () => Promise.resolve([]),
      members: () => Promise.resolve([]),
      stored: () => Promise.resolve(new Map([["u", { files: 1, bytes }]])),
      now: () => clock.now,
    })
  return { db, clock, open, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

// Catches a day that starts again when the clock goes back to it, and days that are never kept or all kept.
test("a clock that jumps gives no one a day twice, and a day's use survives a restart", async () => {
  await using box = await oneClock()
  const quotas = box.open()
  await quotas.set("person", "u", { ...none, answers: 2 })
  const refused = { code: "quota_exceeded", details: { resetsAt: "2026-03-02T00:00:00.000Z" } }
  await quotas.countAnswer("u")
  await quotas.countAnswer("u")
  await expect(quotas.countAnswer("u")).rejects.toMatchObject(refused)
  box.clock.now = at("2026-03-02", "00:00:00")
  await quotas.countAnswer("u")
  box.clock.now = at("2031-01-01", "12:00:00")
  await quotas.countAnswer("u")
  box.clock.now = at("2026-03-01", "10:00:00")
  await expect(quotas.countAnswer("u")).rejects.toMatchObject(refused)
  await expect(box.open().countAnswer("u")).rejects.toMatchObject(refused)
  for (let day = 2; day < 60; day++) {
    box.clock.now = at("2026-03-01", "10:00:00") + day * 86_400_000
    await quotas.countAnswer("u")
  }
  const { days } = await box.db
    .selectFrom("dailyUse")
    .select((e) => e.fn.countAll<number>().as("days"))
    .executeTakeFirstOrThrow()
  expect(days).toBeLessThanOrEqual(32)
})

// Catches a server without limits that loads the quota code, or that ignores the first limit that is set.
test("without a limit nothing is loaded or counted; the first limit that is set applies at once", async () => {
  await using box = await oneClock()
  let loads = 0
  const guard = createQuotaGuard(box.db, () => {
    loads++
    return Promise.resolve(box.open())
  })
  await guard.countAnswer("u")
  await guard.recordTokens("u", 10)
  await guard.withRoom("u", { files: 1, bytes: 1 }, () => Promise.resolve())
  expect(loads).toBe(0)
  expect(await box.db.selectFrom("dailyUse").selectAll().execute()).toEqual([])
  await (await guard.open()).set("everybody", "", { ...none, answers: 0 })
  await expect(guard.countAnswer("u")).rejects.toMatchObject({ code: "quota_exceeded" })
  // As after a restart.
  const restarted = createQuotaGuard(box.db, () => Promise.resolve(box.open()))
  await expect(restarted.countAnswer("u")).rejects.toMatchObject({ code: "quota_exceeded" })
  expect(loads).toBe(1)
})

// Catches sizes that stay English text in sentences of other languages.
test("refusals for lack of space give sizes as numbers", async () => {
  await using box = await oneClock(1_234_567_890)
  const quotas = box.open()
  await quotas.set("person", "u", { ...none, bytes: 1_500_000_000 })
  const error = await quotas
    .requireRoom("u", { files: 0, bytes: 999_999_999 })
    .catch((cause: unknown) => cause)
  if (!(error instanceof AppError)) throw new Error("not refused")
  expect(error.message).toMatch(/^You're using 1\.2 GB of 1\.5 GB, so there is no space for 999\.9 MB more\./)
  const size = (value: number, symbol: string) => ({ code: "quotas.size", values: { size: value, symbol } })
  expect(error.sentence.field.sentence?.values).toEqual({
    most: size(1.5, "GB"),
    used: size(1.2, "GB"),
    wanted: size(999.9, "MB"),
  })
})
