import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import { ageGroup, formatLocation, formatRoughTime, formatSize } from "./format.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

test("formats sizes in everyday units", () => {
  expect([0, 999, 1000, 1_234_567, 5e9].map(formatSize)).toEqual(["0 B", "999 B", "1 kB", "1.2 MB", "5 GB"])
})

test("names what is known about a location in a document", () => {
  expect(formatLocation({ page: 3, heading: "Terms" })).toBe("Page 3 · Terms")
  expect(formatLocation({ sheet: "Costs", row: 12 })).toBe("Costs · Row 12")
  expect(formatLocation({})).toBe("")
})

// Catches an estimate in seconds, and one of no time at all.
test("formats an estimated time in everyday units", () => {
  expect([0, 100, 3_000, 9_000, 400_000].map(formatRoughTime)).toEqual([
    "1 minute",
    "2 minutes",
    "50 minutes",
    "2.5 hours",
    "4.6 days",
  ])
})

// Catches groups counted in hours: at one in the morning, two hours ago is yesterday.
test("groups chats by calendar day", () => {
  const now = new Date(2026, 4, 20, 1, 0)
  const at = (...date: [number, number, number, number]) => ageGroup(new Date(...date).toISOString(), now)
  expect(at(2026, 4, 20, 0)).toBe("Today")
  expect(at(2026, 4, 19, 23)).toBe("Yesterday")
  expect(at(2026, 4, 15, 12)).toBe("Last 7 days")
  expect(at(2026, 4, 1, 12)).toBe("Last 30 days")
  expect(at(2025, 0, 1, 12)).toBe("Older")
})
