import { getEventListeners } from "node:events"
import { expect, it } from "vitest"
import {
  abortAfter,
  limitSilence,
  unlessAborted,
  untilAborted,
  waitAtMost,
  withTimeout,
} from "./abort-and-timeout.ts"

const never = Promise.withResolvers<never>().promise
const late = () => new Error("late")

// Catches a wait that a signal doesn't end, or that leaves its listener on a signal which lives as long as the box.
it("stops waiting when the signal is aborted, and removes its listener", async () => {
  const stop = new AbortController()
  const waits = [unlessAborted(never, stop.signal), withTimeout(1e6, never, late, stop.signal)]
  const mild = untilAborted(never, stop.signal)
  expect(await untilAborted(Promise.resolve("done"), stop.signal)).toBe("done")
  expect(await unlessAborted(Promise.resolve(undefined), stop.signal)).toBeUndefined()
  stop.abort(new Error("stopped"))
  for (const wait of waits) await expect(wait).rejects.toThrow("stopped")
  expect(await mild).toBeUndefined()
  expect(getEventListeners(stop.signal, "abort")).toEqual([])
  await expect(unlessAborted(never, stop.signal)).rejects.toThrow("stopped")
})

// Catches a limit that hides the work's error, or one that never takes effect.
it("stops waiting at the limit, and passes on an earlier result", async () => {
  expect(await waitAtMost(1, never)).toBeUndefined()
  await expect(unlessAborted(never, abortAfter(1))).rejects.toMatchObject({ name: "TimeoutError" })
  await expect(withTimeout(1, never, late)).rejects.toThrow("late")
  expect(await withTimeout(1e6, Promise.resolve("done"), late)).toBe("done")
  await expect(waitAtMost(1e6, Promise.reject(new Error("failed")))).rejects.toThrow("failed")
  await expect(withTimeout(1e6, Promise.reject(new Error("failed")), late)).rejects.toThrow("failed")
})

// Catches a calculation that is reported as too slow because the computer slept, although its result has arrived.
it("doesn't count a pause of this process towards the limit", async () => {
  // After the pause, timers run before the second of these.
  const arriving = new Promise((resolve) => setImmediate(() => setImmediate(resolve, "result")))
  const waits = [
    withTimeout(100, arriving, late),
    waitAtMost(100, arriving),
    unlessAborted(arriving, abortAfter(100)),
  ]
  const silence = limitSilence(100, late)
  const heard = arriving.then(silence.recordActivity)
  const end = performance.now() + 150
  while (performance.now() < end);
  expect(await Promise.all(waits)).toEqual(["result", "result", "result"])
  await heard
  expect(silence.signal.aborted).toBe(false)
  silence.stop()
})
