import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createMaintenance } from "./maintenance.ts"

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function counting() {
  let runs = 0
  const maintenance = createMaintenance({
    optimize: () => {
      runs++
      return Promise.resolve()
    },
    logger: silent,
  })
  return { maintenance, runs: () => runs }
}

test("much change is optimised at once, little change when writing pauses", async () => {
  const { maintenance, runs } = counting()
  maintenance.changed(10, 0)
  expect(runs()).toBe(0)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(runs()).toBe(1)
  maintenance.changed(50_000, 0)
  expect(runs()).toBe(2)
  maintenance.stop()
})

// Would catch: a keyword index that is written anew for a few rows, or commits, the more often the larger it is.
test("the larger the part, the more rows and commits may wait", async () => {
  const { maintenance, runs } = counting()
  const commits = (count: number, rows: number, partRows: number) => {
    for (let commit = 0; commit < count; commit++) maintenance.changed(rows, partRows)
    return runs()
  }
  expect(commits(14, 1_000, 100_000)).toBe(0)
  expect(commits(1, 1_000, 100_000)).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(commits(99, 1, 100_000)).toBe(1)
  expect(commits(1, 1, 100_000)).toBe(2)
  maintenance.stop()
})

test("after the last change it runs once more for the versions it had to keep, then rests", async () => {
  const { maintenance, runs } = counting()
  maintenance.changed(10, 0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs()).toBe(2)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(runs()).toBe(2)
})

test("a failed optimisation is tried again with the next change", async () => {
  let runs = 0
  const maintenance = createMaintenance({
    optimize: () => (++runs === 1 ? Promise.reject(new Error("disk full")) : Promise.resolve()),
    logger: silent,
  })
  maintenance.changed(50_000, 0)
  await vi.advanceTimersByTimeAsync(1)
  maintenance.changed(50_000, 0)
  expect(runs).toBe(2)
  maintenance.stop()
})

test("nothing runs after stop", async () => {
  const { maintenance, runs } = counting()
  maintenance.changed(10, 0)
  maintenance.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs()).toBe(0)
})
