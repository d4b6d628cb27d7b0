import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import { dayAround, dayHeading } from "./wording.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

const now = new Date(2026, 2, 30, 0, 30) // just after midnight
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()

// Catches counting hours instead of calendar days.
test("puts a minute before midnight under yesterday, also across a clock change", () => {
  expect(dayHeading(at(2026, 2, 30, 0, 1), now)).toBe("Today")
  expect(dayHeading(at(2026, 2, 29, 23, 59), now)).toBe("Yesterday")
  expect(dayHeading(at(2026, 2, 29, 0, 0), now)).toBe("Yesterday")
  expect(dayHeading(at(2026, 2, 28, 23, 59), now)).toBe("Saturday")
})

test("shows the date for a week ago, and the year as well for last year", () => {
  expect(dayHeading(at(2026, 2, 23, 12, 0), now)).not.toBe("Monday")
  expect(dayHeading(at(2025, 11, 31, 12, 0), now)).toContain("2025")
})

test("shows today for a future date when the clock is slow", () => {
  expect(dayHeading(at(2026, 2, 31, 0, 0), now)).toBe("Today")
})

// Catches days assumed to have 24 hours: where clocks change, the last Sunday of October has 25 and that of March 23.
test("spans a day from midnight to midnight", () => {
  for (const [month, day] of [
    [2, 29],
    [9, 25],
    [11, 31],
  ] as const) {
    const midnight = new Date(2026, month, day).getTime()
    const next = new Date(2026, month, day + 1).getTime()
    expect(dayAround(midnight)).toEqual({ start: midnight, end: next })
    expect(dayAround(next - 1)).toEqual({ start: midnight, end: next })
    expect(dayAround(next).start).toBe(next)
  }
})
