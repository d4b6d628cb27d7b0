import { expect, test } from "vitest"
import { createCrashLimit } from "./recover-page.ts"

// Catches a page that crashes while it loads and is reloaded forever at full load.
test("retries after three crashes within a minute, but not after a fourth", () => {
  let time = 0
  const mayRetry = createCrashLimit(() => time)
  expect([mayRetry(), mayRetry(), mayRetry(), mayRetry()]).toEqual([true, true, true, false])
  time = 60_000
  expect(mayRetry()).toBe(true)
})
