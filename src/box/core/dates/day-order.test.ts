import { expect, test } from "vitest"
import { createDayOrder } from "./find-dates.ts"

// Catches thousands of ambiguous dates that each detect the document's language again and block the box.
test("detects the language only once, however many dates are ambiguous", () => {
  let asked = 0
  const order = createDayOrder(() => {
    asked++
    return undefined
  })
  const date = { date: "2026-06-05", monthFirst: "2026-05-06" }
  for (let count = 0; count < 3; count++)
    expect(order.settle(date)).toEqual({ date: "2026-06-05", otherDate: "2026-05-06" })
  expect(asked).toBe(1)
})
