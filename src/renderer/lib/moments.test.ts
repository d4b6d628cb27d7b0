import { expect, test } from "vitest"
import { inAnHour, thisEvening, tomorrowMorning } from "./moments.ts"

// Would catch: a month's end that is passed over, and an evening that has been.
test("an hour, the evening and the next morning are of the place's own clock", () => {
  const noon = new Date(2026, 0, 31, 12, 30)
  expect(inAnHour(noon)).toEqual(new Date(2026, 0, 31, 13, 30))
  expect(thisEvening(noon)).toEqual(new Date(2026, 0, 31, 18))
  expect(tomorrowMorning(noon)).toEqual(new Date(2026, 1, 1, 8))
  expect(thisEvening(new Date(2026, 0, 31, 17, 30))).toBeUndefined()
  expect(thisEvening(new Date(2026, 0, 31, 20))).toBeUndefined()
})
