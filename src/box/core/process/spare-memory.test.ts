import { getHeapCodeStatistics } from "node:v8"
import { compileFunction } from "node:vm"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { giveBackSpareMemory } from "./spare-memory.ts"

const minuteMs = 60_000
let usedMs = 0
beforeEach(() => {
  usedMs = 0
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: usedMs * 1_000, system: 0 }))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Minutes with so much processor time each; answers in which of them memory was given back. */
function run(...minutes: number[]): number[] {
  const collect = vi.fn(() => void (usedMs += 100))
  using _ = giveBackSpareMemory(collect)
  return minutes.flatMap((ms, minute) => {
    usedMs += ms
    collect.mockClear()
    vi.advanceTimersByTime(minuteMs)
    return collect.mock.calls.map(() => minute)
  })
}

// Would catch: a pause in the midst of work, a box that stays as large as its start made it, or one that cleans up all day.
test("memory is given back in the first quiet minute, and again in the first after some work", () => {
  expect(run(2_000, 500, 10, 10, 10)).toEqual([2])
  expect(run(10, 10, 900, 10, 5_000, 5_000, 10, 10)).toEqual([0, 6])
  expect(run(10, ...Array.from({ length: 30 }, () => 40))).toEqual([0, 25])
})

// Would catch: a collector that isn't there any more, or that leaves what was freed in place.
test("garbage is collected, and its pages are given back", () => {
  let garbage: unknown[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index }))
  const before = process.memoryUsage()
  expect(garbage).toHaveLength(200_000)
  garbage = undefined
  using _ = giveBackSpareMemory()
  vi.advanceTimersByTime(minuteMs)
  expect(before.heapTotal - process.memoryUsage().heapTotal).toBeGreaterThan(4 * 2 ** 20)
})

// Would catch: what was compiled for the start alone, called or not, and stays for as long as the box runs.
test("compiled code that wasn't called since goes", () => {
  const body = `return [${Array.from({ length: 20_000 }, (_, index) => `"${String(index)}", ${String(index)} * Date.now()`).join()}]`
  const compiled = compileFunction(body) as () => unknown[]
  expect(compiled()).toHaveLength(40_000)
  const before = getHeapCodeStatistics().bytecode_and_metadata_size
  using _ = giveBackSpareMemory()
  vi.advanceTimersByTime(minuteMs)
  expect(before - getHeapCodeStatistics().bytecode_and_metadata_size).toBeGreaterThan(100_000)
  expect(compiled()).toHaveLength(40_000)
})
