import { expect, test } from "vitest"
import { createDayOrder } from "./day-order.ts"

// Would catch: thousands of dates that may be read both ways, each of which has the document's language told anew, while the box answers nobody.
test("asks once for the language, however many dates don't tell", () => {
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
