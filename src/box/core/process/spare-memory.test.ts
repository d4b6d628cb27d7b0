import { getHeapCodeStatistics } from "node:v8"
import { compileFunction } from "node:vm"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { releaseSpareMemory } from "./spare-memory.ts"

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

/** Simulates minutes with this much processor time each; returns the minutes in which memory was released. */
function run(...minutes: number[]): number[] {
  const collect = vi.fn(() => void (usedMs += 100))
  using _ = releaseSpareMemory(collect)
  return minutes.flatMap((ms, minute) => {
    usedMs += ms
    collect.mockClear()
    vi.advanceTimersByTime(minuteMs)
    return collect.mock.calls.map(() => minute)
  })
}

// Catches a pause during work, a box that stays as large as after its start, and one that collects garbage all day.
test("releases memory in the first quiet minute, and again in the first one after some work", () => {
  expect(run(2_000, 500, 10, 10, 10)).toEqual([2])
  expect(run(10, 10, 900, 10, 5_000, 5_000, 10, 10)).toEqual([0, 6])
  expect(run(10, ...Array.from({ length: 30 }, () => 40))).toEqual([0, 25])
})

// Catches a garbage collector that isn't available any more, or that doesn't return freed memory.
test("collects garbage and releases its pages", () => {
  let garbage: unknown[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index }))
  const before = process.memoryUsage()
  expect(garbage).toHaveLength(200_000)
  garbage = undefined
  using _ = releaseSpareMemory()
  vi.advanceTimersByTime(minuteMs)
  expect(before.heapTotal - process.memoryUsage().heapTotal).toBeGreaterThan(4 * 2 ** 20)
})

// Catches code that was compiled only for the start, called or not, and stays as long as the box runs.
test("discards compiled code that wasn't called recently", () => {
  const body = `return [${Array.from({ length: 20_000 }, (_, index) => `"${String(index)}", ${String(index)} * Date.now()`).join()}]`
  const compiled = compileFunction(body) as () => unknown[]
  expect(compiled()).toHaveLength(40_000)
  const before = getHeapCodeStatistics().bytecode_and_metadata_size
  using _ = releaseSpareMemory()
  vi.advanceTimersByTime(minuteMs)
  expect(before - getHeapCodeStatistics().bytecode_and_metadata_size).toBeGreaterThan(100_000)
  expect(compiled()).toHaveLength(40_000)
})
