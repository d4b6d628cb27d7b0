import { expect, test } from "vitest"
import { withinProcessorTime } from "./within-processor-time.ts"

const longestMs = 3_600_000

// Catches a picture that keeps a core busy for ever.
test("work that uses up its processor time ends", async () => {
  let done = false
  const burn = () => {
    for (let end = process.cpuUsage().user + 2_000; process.cpuUsage().user < end;);
    if (!done) setImmediate(burn)
  }
  burn()
  const never = new Promise<string>(() => undefined)
  const limits = { processorMs: 20, longestMs, stepMs: 1 }
  expect(await withinProcessorTime(never, () => undefined, limits)).toBeUndefined()
  done = true
})

// Catches scans that fail because other programs are busy, and a reader that gives up because it hears nothing.
test("work that waits for its turn goes on, and says so", async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let steps = 0
  const onStep = () => {
    if (++steps === 5) resolve("done")
  }
  expect(await withinProcessorTime(promise, onStep, { processorMs: longestMs, longestMs, stepMs: 1 })).toBe(
    "done",
  )
})
