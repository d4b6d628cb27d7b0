import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import { fetchStrings } from "../../locales/languages.ts"
import { formatDate, formatMoney } from "./format-fact.ts"
import {
  ageGroup,
  formatCount,
  formatDay,
  formatFullMoment,
  formatList,
  formatLocation,
  formatPercent,
  formatRoughTime,
  formatSize,
} from "./format.ts"

beforeAll(async () =>
  i18next.init({ lng: "en", resources: { en, de: await fetchStrings.de(), it: await fetchStrings.it() } }),
)

test("formats sizes in everyday units", () => {
  expect([0, 999, 1000, 1_234_567, 5e9].map(formatSize)).toEqual(["0 B", "999 B", "1 kB", "1.2 MB", "5 GB"])
})

test("names what is known about a location in a document", () => {
  expect(formatLocation({ page: 3, heading: "Terms" })).toBe("Page 3 · Terms")
  expect(formatLocation({ sheet: "Costs", row: 12, line: 40 })).toBe("Costs · Row 12")
  expect(formatLocation({ slide: 4, image: 2 })).toBe("Slide 4 · Image 2")
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

// Catches English numbers and dates on a translated page, and spaces at which a unit would be cut off.
test.each([
  ["de", "5. März 2024 um 14:30", "5. März 2024", "Dienstag, 5. März", "1.234.567", "1,2 MB", "25\u00A0%"],
  ["it", "5 marzo 2024 alle ore 14:30", "5 mar 2024", "Martedì 5 marzo", "1.234.567", "1,2 MB", "25%"],
])("formats numbers and dates in %s", async (language, full, date, day, count, size, share) => {
  await i18next.changeLanguage(language)
  const moment = new Date(2024, 2, 5, 14, 30)
  expect(formatFullMoment(moment.toISOString())).toBe(full)
  expect(formatDate("2024-03-05")).toBe(date)
  expect(formatDay(moment, "date")).toBe(day)
  expect(formatCount(1_234_567)).toBe(count)
  expect(formatSize(1_234_567)).toBe(size)
  expect(formatPercent(0.25)).toBe(share)
  await i18next.changeLanguage("en")
})

test("formats estimates, amounts and lists in German", async () => {
  await i18next.changeLanguage("de")
  expect([100, 9_000, 400_000].map(formatRoughTime)).toEqual(["2 Minuten", "2,5 Stunden", "4,6 Tage"])
  expect(formatMoney(1250.5, "EUR")).toBe("1.250,50\u00A0€")
  expect(formatList(["A", "B", "C"])).toBe("A, B und C")
  expect(ageGroup(new Date().toISOString())).toBe("Heute")
  await i18next.changeLanguage("en")
})
