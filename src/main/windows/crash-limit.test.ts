import { expect, test } from "vitest"
import { createCrashLimit } from "./crash-limit.ts"

// Would catch a page that crashes while it loads and is reloaded for ever, at full load.
test("three crashes within a minute are tried again, a fourth isn't", () => {
  let time = 0
  const mayRetry = createCrashLimit(() => time)
  expect([mayRetry(), mayRetry(), mayRetry(), mayRetry()]).toEqual([true, true, true, false])
  time = 60_000
  expect(mayRetry()).toBe(true)
})
