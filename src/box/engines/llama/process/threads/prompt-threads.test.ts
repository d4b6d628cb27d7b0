import { expect, test } from "vitest"
import { createPromptThreads } from "./thread-choice.ts"

/** Reads a prompt on a simulated computer: each of `others` programs uses one core, and each thread reads 50 tokens/s. */
function simulate(cores: number) {
  const clock = { now: 1_000 }
  const threads = createPromptThreads(cores, () => clock.now)
  return {
    clock,
    next: () => threads.nextThreadCount(),
    read(steps: number, others = 0): number {
      const started = clock.now
      for (let step = 0; step < steps; step++) {
        const used = threads.nextThreadCount()
        const crowded = used + others > cores
        const elapsed = crowded ? 2_500 : 1_280 / used // all threads wait for the one that shares its core
        const share = crowded ? (cores / (used + others)) * used : used
        clock.now += elapsed
        threads.record(elapsed, elapsed * share)
      }
      return clock.now - started
    },
  }
}

// Catches a first question that is read at half the computer's speed or slower.
test("the first step of the first prompt uses all cores, and so does every later one", () => {
  for (const cores of [1, 2, 4, 8, 16]) {
    const { next, read } = simulate(cores)
    expect(next()).toBe(cores)
    read(50)
    expect(next()).toBe(cores)
  }
})

// Catches prompts that take twice as long as with fewer threads while another program works.
test("uses one thread fewer after a single step on a core that another program needs", () => {
  for (const cores of [2, 4, 8]) {
    const { next, read } = simulate(cores)
    read(1, 1)
    expect(next()).toBe(cores - 1)
    read(1, 1)
    expect(next()).toBe(cores - 1)
  }
})

test("keeps at least 80 % of one core's rate while another program stays busy", () => {
  const { read } = simulate(2)
  read(20)
  const steps = 200
  expect((steps * 1_280) / read(steps, 1)).toBeGreaterThan(0.8)
})

test("tries all cores again, sooner if the other program has only just started", () => {
  const { clock, next, read } = simulate(2)
  read(1, 1)
  clock.now += 25_000
  expect(next()).toBe(2)
  read(1)
  expect(next()).toBe(2)
})

// Catches seconds with too few threads after each short disturbance, because of many disturbances hours ago.
test("after a step with all cores, they are retried as soon as after the first failure", () => {
  const clock = { now: 1_000 }
  const threads = createPromptThreads(2, () => clock.now)
  const fail = () => threads.record(100, 100)
  for (let failed = 0; failed < 10; failed++) {
    expect(threads.nextThreadCount()).toBe(2)
    fail()
    clock.now += 15_000
  }
  expect(threads.nextThreadCount()).toBe(2)
  threads.record(100, 200)
  fail()
  clock.now += 1_000
  expect(threads.nextThreadCount()).toBe(2)
})

// Catches a core that is given up because the system itself needs a little of it, and a suspended process that is left with no thread.
test.each([
  [390, 4],
  [385, 4],
  [310, 3],
  [0, 1],
])("%i ms of processor time in 100 ms leave %i of 4 threads", (processorMs, left) => {
  const threads = createPromptThreads(4, () => 1_000)
  threads.nextThreadCount()
  threads.record(100, processorMs)
  expect(threads.nextThreadCount()).toBe(left)
})

test("ignores steps that are too short to measure", () => {
  const threads = createPromptThreads(4, () => 1_000)
  threads.record(5, 0)
  expect(threads.nextThreadCount()).toBe(4)
})
