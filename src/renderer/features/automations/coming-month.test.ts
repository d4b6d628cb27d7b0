import { expect, test } from "vitest"
import type { Automation } from "../../../shared/contract/automations.ts"
import { comingMonth, weeksOf } from "./coming-month.ts"
import { timeZoneHere } from "../../lib/words/trigger-words.ts"

const now = new Date(2026, 10, 20, 12)
const due = (name: string, cron: string, next: Date | null, timeZone = timeZoneHere()) =>
  ({
    name,
    trigger: { kind: "schedule", cron, timeZone },
    nextRunAt: next?.toISOString() ?? null,
  }) as Automation

// Would catch: a month with times that are past, that are another month's, or in the wrong order; one of what is switched off.
test("a month shows what is still due in it", () => {
  const coming = comingMonth(
    [
      due("Late", "0 17 * * 5", new Date(2026, 10, 20, 17)),
      due("Early", "0 9 * * 1-5", new Date(2026, 10, 23, 9)),
      due("Own", "0 9 1,23 * *", new Date(2026, 10, 23, 8)),
      due("Elsewhere", "0 9 * * *", new Date(2026, 10, 30, 23), "Pacific/Kiritimati"),
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

// Would catch: a month whose days stand under the wrong weekday, or that lacks its last ones.
test("a month's weeks begin on Monday and hold all of its days", () => {
  const weeks = weeksOf(now)
  expect(weeks).toHaveLength(6) // November 2026 begins on a Sunday
  expect(weeks.every(([first]) => first?.getDay() === 1)).toBe(true)
  expect(weeks.flat().filter((day) => day.getMonth() === 10)).toHaveLength(30)
})
