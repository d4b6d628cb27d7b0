import { getEventListeners, once } from "node:events"
import { MessageChannel } from "node:worker_threads"
import { expect, it } from "vitest"
import { limitSilence, untilAborted, unlessAborted, waitAtMost, withTimeout } from "./abort-and-timeout.ts"

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
  await expect(withTimeout(1, never, late)).rejects.toThrow("late")
  expect(await withTimeout(1e6, Promise.resolve("done"), late)).toBe("done")
  await expect(waitAtMost(1e6, Promise.reject(new Error("failed")))).rejects.toThrow("failed")
  await expect(withTimeout(1e6, Promise.reject(new Error("failed")), late)).rejects.toThrow("failed")
})

// Catches an answer that counts as late because this process paused after the answer had arrived.
it("accepts what arrived in time, even if this process paused until the time was over", async () => {
  const { port1: answering, port2: asking } = new MessageChannel()
  try {
    const answer = async () => (await once(asking, "message"))[0] as string
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    const waits = [() => waitAtMost(10, answer()), () => withTimeout(10, answer(), late)]
    for (const wait of waits) {
      const result = wait()
      answering.postMessage("in time", [])
      pause()
      expect(await result).toBe("in time")
    }
    using silence = { ...limitSilence(10, late), [Symbol.dispose]: () => silence.stop() }
    const heard = once(asking, "message").then(silence.recordActivity)
    answering.postMessage("in time", [])
    pause()
    await heard
    expect(silence.signal.aborted).toBe(false)
  } finally {
    asking.close()
  }
})
