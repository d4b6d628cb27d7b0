import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createProcessPool } from "./start-child.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function processes(startsAhead: boolean, max = 2) {
  const started: { isUsable: boolean; kill(): void; [Symbol.asyncDispose](): Promise<void> }[] = []
  const start = () => {
    const process = {
      isUsable: true,
      kill: () => void (process.isUsable = false),
      [Symbol.asyncDispose]: () => Promise.resolve(process.kill()),
    }
    started.push(process)
    return process
  }
  return { started, kept: createProcessPool({ start, max, idleMs: 1000, startsAhead }) }
}

// Catches work that is given to a used-up, dead or busy process.
it("lends a usable process to one caller at a time, the last used one first", () => {
  const { started, kept } = processes(false)
  const [one, two] = [kept.take(), kept.take()]
  expect(one).not.toBe(two)
  kept.release(two)
  kept.release(one)
  expect(kept.take()).toBe(one)
  two.isUsable = false
  expect(started).toHaveLength(2)
  expect(kept.take()).toBe(started[2])
})

// Catches a process that is never ended, or that is ended during work because it was idle earlier.
it("ends a process that was idle for too long", () => {
  const { started, kept } = processes(false)
  const busy = kept.take()
  kept.release(kept.take())
  kept.release(busy)
  expect(kept.take()).toBe(busy)
  vi.advanceTimersByTime(1000)
  expect(started.map(({ isUsable }) => isUsable)).toEqual([true, false])
})

// Catches a code run that waits for a process to start, or two processes that wait for the same run.
it("starts a spare process when work ends its process, unless one is idle", async () => {
  const { started, kept } = processes(true, 1)
  const [one, two] = [kept.take(), kept.take()]
  one.kill()
  kept.release(one)
  two.kill()
  kept.release(two)
  expect(started).toHaveLength(3)
  expect(kept.take()).toBe(started[2])
  await kept[Symbol.asyncDispose]()
  expect(started[2]?.isUsable).toBe(false)
})
