import { expect, test } from "vitest"
import { comesOn, readCron, toCron } from "./plain-schedule.ts"

// Would catch: a schedule that is said or saved as another one once somebody opens it.
test.each([
  ["0 9 * * *", { rhythm: "day", time: "09:00" }],
  ["5 17 * * 1-5", { rhythm: "weekday", time: "17:05" }],
  ["30 8 * * 0", { rhythm: "week", time: "08:30", weekday: 0 }],
  ["0 0 31 * *", { rhythm: "month", time: "00:00", dayOfMonth: 31 }],
  ["*/5 * * * *", { rhythm: "own" }],
  ["0 9 1 * 1", { rhythm: "own" }],
  ["0 9 * * 1,3", { rhythm: "own" }],
  ["0 25 * * *", { rhythm: "own" }],
  ["0 9 * * 8", { rhythm: "own" }],
  ["0 9 32 * *", { rhythm: "own" }],
])("%s is read and written as it is", (cron, said) => {
  const schedule = readCron(cron)
  expect(schedule).toMatchObject(said)
  expect(toCron(schedule)).toBe(cron)
})

// Would catch: a Sunday that is taken for a day of its own.
test("a week's seventh day is its Sunday", () => {
  expect(toCron(readCron("0 9 * * 7"))).toBe("0 9 * * 0")
})

// Would catch: a month that shows a schedule on days on which it doesn't come.
test("a schedule comes on its days", () => {
  const [friday, saturday] = [new Date(2026, 10, 27), new Date(2026, 10, 28)]
  const on = (cron: string) => [comesOn(readCron(cron), friday), comesOn(readCron(cron), saturday)]
  expect(on("0 9 * * *")).toEqual([true, true])
  expect(on("0 9 * * 1-5")).toEqual([true, false])
  expect(on("0 9 * * 6")).toEqual([false, true])
  expect(on("0 9 27 * *")).toEqual([true, false])
  expect(on("0 9 * 1 *")).toEqual([undefined, undefined])
})
