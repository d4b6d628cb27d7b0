import { expect, test } from "vitest"
import { parseSchedule } from "./schedule.ts"

/** Returns the first `count` times after a moment. */
function listed(cron: string, zone: string, from: string, count: number): string[] {
  const times = parseSchedule(cron, zone, Date.parse(from))
  if (typeof times === "string") throw new Error(times)
  const found: string[] = []
  for (let at = times.after(Date.parse(from)); at !== null && found.length < count; at = times.after(at))
    found.push(new Date(at).toISOString().slice(0, 16))
  return found
}

// Catches a nightly run that is dropped in spring or doubled in autumn, even if the box starts during the change.
test("a time in the spring gap occurs once that day, and one in the autumn overlap once", () => {
  expect(listed("30 2 * * *", "Europe/Rome", "2026-03-28T12:00:00Z", 2)).toEqual([
    "2026-03-29T01:00",
    "2026-03-30T00:30",
  ])
  expect(listed("30 2 * * *", "Europe/Rome", "2026-10-24T12:00:00Z", 2)).toEqual([
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ])
  expect(listed("30 2 * * *", "Europe/Rome", "2026-10-25T00:45:00Z", 1)).toEqual(["2026-10-26T01:30"])
  expect(listed("*/30 2 * * *", "Europe/Rome", "2026-10-24T23:00:00Z", 3)).toEqual([
    "2026-10-25T00:00",
    "2026-10-25T00:30",
    "2026-10-26T01:00",
  ])
  expect(listed("0 2 * * *", "Australia/Lord_Howe", "2027-04-03T00:00:00Z", 2)).toHaveLength(2)
  // An hourly time occurs in both hours.
  expect(listed("0 * * * *", "Europe/Rome", "2026-10-25T00:00:00Z", 3)).toEqual([
    "2026-10-25T01:00",
    "2026-10-25T02:00",
    "2026-10-25T03:00",
  ])
})

// Catches a run only on Friday the 13th if every Friday and every 13th is meant.
test("day of month and day of week combine by OR", () => {
  expect(listed("0 9 13 * 5", "UTC", "2026-12-10T00:00:00Z", 3)).toEqual([
    "2026-12-11T09:00",
    "2026-12-13T09:00",
    "2026-12-18T09:00",
  ])
})

// Catches a schedule that is accepted but never fires, or that means something else in other programs.
test.each([
  ["0 0 31 2 *", "UTC", "never"],
  ["0 0 30 2 *", "UTC", "never"],
  ["* * * *", "UTC", "cron"],
  ["0 0 0 * * *", "UTC", "cron"],
  ["60 * * * *", "UTC", "cron"],
  ["@daily", "UTC", "cron"],
  ["0 0 L * *", "UTC", "cron"],
  ["0 0 * * 5L", "UTC", "cron"],
  ["0 0 15W * *", "UTC", "cron"],
  ["0 0 * * 1#2", "UTC", "cron"],
  ["0 0 ? * *", "UTC", "cron"],
  ["5-1 * * * *", "UTC", "cron"],
  ["*/0 * * * *", "UTC", "cron"],
  ["a b c d e", "UTC", "cron"],
  ["0 0 * * *", "Mars/Phobos", "time_zone"],
  ["0 0 * * *", "+02:00", "time_zone"],
])("%s in %s is refused: %s", (cron, zone, why) => {
  expect(parseSchedule(cron, zone, Date.parse("2026-11-27T00:00:00Z"))).toBe(why)
})

test("29 February and names of months and days are accepted", () => {
  expect(listed("0 0 29 feb *", "UTC", "2026-11-27T00:00:00Z", 1)).toEqual(["2028-02-29T00:00"])
  expect(listed("0 9 * * MON-FRI", "UTC", "2026-11-27T10:00:00Z", 1)).toEqual(["2026-11-30T09:00"])
  expect(listed("0 9 * * 7", "UTC", "2026-11-27T10:00:00Z", 1)).toEqual(["2026-11-29T09:00"])
})
