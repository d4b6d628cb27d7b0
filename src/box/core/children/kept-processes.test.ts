import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { keepProcesses } from "./kept-processes.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function processes(startsAhead: boolean, most = 2) {
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
  return { started, kept: keepProcesses({ start, most, idleMs: 1000, startsAhead }) }
}

// Would catch: a process that is used up or dead and gets work, or one that is busy and gets another's.
it("lends a process to one at a time, the last used one first, and none that is used up", () => {
  const { started, kept } = processes(false)
  const [one, two] = [kept.take(), kept.take()]
  expect(one).not.toBe(two)
  kept.giveBack(two)
  kept.giveBack(one)
  expect(kept.take()).toBe(one)
  two.isUsable = false
  expect(started).toHaveLength(2)
  expect(kept.take()).toBe(started[2])
})

// Would catch: a process that stays for ever, or that is ended while it works because it rested once.
it("ends a process that had nothing to do for long", () => {
  const { started, kept } = processes(false)
  const busy = kept.take()
  kept.giveBack(kept.take())
  kept.giveBack(busy)
  expect(kept.take()).toBe(busy)
  vi.advanceTimersByTime(1000)
  expect(started.map(({ isUsable }) => isUsable)).toEqual([true, false])
})

// Would catch: the next run of code that waits until a process has started, or two that wait for it.
it("starts one ahead where work ends its process, unless one waits", async () => {
  const { started, kept } = processes(true, 1)
  const [one, two] = [kept.take(), kept.take()]
  one.kill()
  kept.giveBack(one)
  two.kill()
  kept.giveBack(two)
  expect(started).toHaveLength(3)
  expect(kept.take()).toBe(started[2])
  await kept[Symbol.asyncDispose]()
  expect(started[2]?.isUsable).toBe(false)
})
