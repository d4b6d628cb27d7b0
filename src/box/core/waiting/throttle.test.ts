import { expect, test } from "vitest"
import { throttle } from "./throttle.ts"

// Catches a message for each of thousands of steps, and a process that reports nothing during minutes of work.
test("calls at once, and again only after the interval", () => {
  const times: number[] = []
  let now = 0
  const step = throttle(
    1_000,
    () => times.push(now),
    () => now,
  )
  for (; now < 2_500; now += 100) step()
  expect(times).toEqual([0, 1_000, 2_000])
})
