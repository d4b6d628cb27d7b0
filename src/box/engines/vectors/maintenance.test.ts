import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createMaintenance } from "./write-queue.ts"

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function counting() {
  let runs = 0
  const maintenance = createMaintenance(() => {
    runs++
    return Promise.resolve()
  }, silent)
  return { maintenance, runs: () => runs }
}

test("many changes are optimised at once, few changes when writing pauses", async () => {
  const { maintenance, runs } = counting()
  maintenance.changed(10, 0)
  expect(runs()).toBe(0)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(runs()).toBe(1)
  maintenance.changed(50_000, 0)
  expect(runs()).toBe(2)
  maintenance.stop()
})

// Catches a keyword index that is rewritten for a few rows or commits, more often as it grows.
test("more rows and commits can wait in a larger part", async () => {
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

test("after the last change it runs once more for the versions it had to keep, then stops", async () => {
  const { maintenance, runs } = counting()
  maintenance.changed(10, 0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs()).toBe(2)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(runs()).toBe(2)
})

test("a failed optimisation is retried with the next change", async () => {
  let runs = 0
  const maintenance = createMaintenance(
    () => (++runs === 1 ? Promise.reject(new Error("disk full")) : Promise.resolve()),
    silent,
  )
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
