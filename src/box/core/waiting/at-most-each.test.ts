import { expect, test } from "vitest"
import { atMostEach } from "./at-most-each.ts"

// Would catch: a message for each of thousands of steps, and a process that says nothing while it works for minutes.
test("calls at once, and then only when the time is over", () => {
  const times: number[] = []
  let now = 0
  const step = atMostEach(
    1_000,
    () => times.push(now),
    () => now,
  )
  for (; now < 2_500; now += 100) step()
  expect(times).toEqual([0, 1_000, 2_000])
})
