import { expect, test } from "vitest"
import { withinProcessorTime } from "../process/processor-time.ts"

const timeoutMs = 3_600_000

// Catches an image that keeps a core busy forever.
test("stops work that uses up its processor time", async () => {
  let done = false
  const burn = () => {
    for (let end = process.cpuUsage().user + 2_000; process.cpuUsage().user < end;);
    if (!done) setImmediate(burn)
  }
  burn()
  const never = new Promise<string>(() => undefined)
  const limits = { processorMs: 20, timeoutMs, stepMs: 1 }
  expect(await withinProcessorTime(never, () => undefined, limits)).toBeUndefined()
  done = true
})

// Catches scans that fail because other programs are busy, and a reader that gives up because no progress is reported.
test("lets waiting work continue and reports progress", async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let steps = 0
  const onStep = () => {
    if (++steps === 5) resolve("done")
  }
  expect(await withinProcessorTime(promise, onStep, { processorMs: timeoutMs, timeoutMs, stepMs: 1 })).toBe(
    "done",
  )
})
