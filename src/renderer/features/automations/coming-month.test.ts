import { expect, test } from "vitest"
import type { Automation } from "../../../shared/contract/automations.ts"
import { comingMonth, getWeeks } from "./MonthView.tsx"
import { timeZoneHere } from "../../lib/words/schedule-words.ts"

const now = new Date(2026, 10, 20, 12)
const elsewhere = timeZoneHere() === "UTC" ? "Pacific/Kiritimati" : "UTC"
const due = (name: string, cron: string, next: Date | null, timeZone = timeZoneHere()) =>
  ({
    name,
    trigger: { kind: "schedule", cron, timeZone },
    nextRunAt: next?.toISOString() ?? null,
  }) as Automation

// Catches times that are past, belong to another month or are out of order, and times of a disabled automation.
test("shows the remaining runs of the month", () => {
  const coming = comingMonth(
    [
      due("Late", "0 17 * * 5", new Date(2026, 10, 20, 17)),
      due("Early", "0 9 * * 1-5", new Date(2026, 10, 23, 9)),
      due("Own", "0 9 1,23 * *", new Date(2026, 10, 23, 8)),
      due("Elsewhere", "0 9 * * *", new Date(2026, 10, 30, 23), elsewhere),
      due("Next month", "0 9 1 * *", new Date(2026, 11, 1, 9)),
      due("Off", "0 9 * * *", null),
    ],
    now,
  )
  expect(
    [...coming].map(([day, times]) => [day, times.map(({ automation }) => automation.name).join()]),
  ).toEqual([
    [20, "Late"],
    [23, "Own,Early"],
    [24, "Early"],
    [25, "Early"],
    [26, "Early"],
    [27, "Early,Late"],
    [30, "Early,Elsewhere"],
  ])
})

// Catches a calendar with days under the wrong weekday, or without its last days.
test("starts each week on Monday and contains every day of the month", () => {
  const weeks = getWeeks(now)
  expect(weeks).toHaveLength(6) // 1 November 2026 is a Sunday
  expect(weeks.every(([first]) => first?.getDay() === 1)).toBe(true)
  expect(weeks.flat().filter((day) => day.getMonth() === 10)).toHaveLength(30)
})
