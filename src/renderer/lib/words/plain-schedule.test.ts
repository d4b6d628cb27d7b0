import { expect, test } from "vitest"
import { occursOn, readCron, toCron } from "./schedule-words.ts"

// Catches a schedule that is shown or saved as another one when it is opened.
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
])("reads and writes %s unchanged", (cron, said) => {
  const schedule = readCron(cron)
  expect(schedule).toMatchObject(said)
  expect(toCron(schedule)).toBe(cron)
})

// Catches a Sunday that is taken for a different day.
test("reads day 7 of a week as Sunday", () => {
  expect(toCron(readCron("0 9 * * 7"))).toBe("0 9 * * 0")
})

// Catches a month view that shows a schedule on days when it doesn't run.
test("runs a schedule on its days only", () => {
  const [friday, saturday] = [new Date(2026, 10, 27), new Date(2026, 10, 28)]
  const on = (cron: string) => [occursOn(readCron(cron), friday), occursOn(readCron(cron), saturday)]
  expect(on("0 9 * * *")).toEqual([true, true])
  expect(on("0 9 * * 1-5")).toEqual([true, false])
  expect(on("0 9 * * 6")).toEqual([false, true])
  expect(on("0 9 27 * *")).toEqual([true, false])
  expect(on("0 9 * 1 *")).toEqual([undefined, undefined])
})
