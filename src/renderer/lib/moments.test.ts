import { expect, test } from "vitest"
import { inAnHour, thisEvening, tomorrowMorning } from "./moments.ts"

// Catches a wrong date at the end of a month, and an evening that is already over.
test("returns an hour, the evening and the next morning in local time", () => {
  const noon = new Date(2026, 0, 31, 12, 30)
  expect(inAnHour(noon)).toEqual(new Date(2026, 0, 31, 13, 30))
  expect(thisEvening(noon)).toEqual(new Date(2026, 0, 31, 18))
  expect(tomorrowMorning(noon)).toEqual(new Date(2026, 1, 1, 8))
  expect(thisEvening(new Date(2026, 0, 31, 17, 30))).toBeUndefined()
  expect(thisEvening(new Date(2026, 0, 31, 20))).toBeUndefined()
})
