import { expect, test } from "vitest"
import { createPromptThreads } from "./prompt-threads.ts"

/** Reads a prompt on a simulated machine: `others` other programs take a core each, 50 tokens/s a thread. */
function simulate(cores: number) {
  const clock = { now: 1_000 }
  const threads = createPromptThreads(cores, () => clock.now)
  return {
    clock,
    next: () => threads.forNextStep(),
    read(steps: number, others = 0): number {
      const begun = clock.now
      for (let step = 0; step < steps; step++) {
        const used = threads.forNextStep()
        const crowded = used + others > cores
        const elapsed = crowded ? 2_500 : 1_280 / used // they wait for the one that shares its core
        const share = crowded ? (cores / (used + others)) * used : used
        clock.now += elapsed
        threads.record(elapsed, elapsed * share)
      }
      return clock.now - begun
    },
  }
}

// Would catch: a first question that is read at half the speed of the machine, or slower.
test("the first step of the first prompt has all cores, and so has every other one", () => {
  for (const cores of [1, 2, 4, 8, 16]) {
    const { next, read } = simulate(cores)
    expect(next()).toBe(cores)
    read(50)
    expect(next()).toBe(cores)
  }
})

// Would catch: prompts that take twice as long as with fewer threads while another program works.
test("one step with a core that another program needs is enough", () => {
  for (const cores of [2, 4, 8]) {
    const { next, read } = simulate(cores)
    read(1, 1)
    expect(next()).toBe(cores - 1)
    read(1, 1)
    expect(next()).toBe(cores - 1)
  }
})

test("of a core's rate at least 80 % is kept while another program stays busy", () => {
  const { read } = simulate(2)
  read(20)
  const steps = 200
  expect((steps * 1_280) / read(steps, 1)).toBeGreaterThan(0.8)
})

test("all cores are tried again, sooner where the other program has just begun", () => {
  const { clock, next, read } = simulate(2)
  read(1, 1)
  clock.now += 25_000
  expect(next()).toBe(2)
  read(1)
  expect(next()).toBe(2)
})

// Would catch: seconds with too few threads after each short disturbance, because many were hours ago.
test("after a step that had all cores they are tried again as soon as at first", () => {
  const clock = { now: 1_000 }
  const threads = createPromptThreads(2, () => clock.now)
  const fail = () => threads.record(100, 100)
  for (let failed = 0; failed < 10; failed++) {
    expect(threads.forNextStep()).toBe(2)
    fail()
    clock.now += 15_000
  }
  expect(threads.forNextStep()).toBe(2)
  threads.record(100, 200)
  fail()
  clock.now += 1_000
  expect(threads.forNextStep()).toBe(2)
})

// Would catch: a core that is given up because the system itself needs a little of it, and no thread at all on a stopped process.
test.each([
  [390, 4],
  [385, 4],
  [310, 3],
  [0, 1],
])("%i ms of processor time in 100 ms leave %i of 4 threads", (processorMs, left) => {
  const threads = createPromptThreads(4, () => 1_000)
  threads.forNextStep()
  threads.record(100, processorMs)
  expect(threads.forNextStep()).toBe(left)
})

test("steps that are over at once say nothing", () => {
  const threads = createPromptThreads(4, () => 1_000)
  threads.record(5, 0)
  expect(threads.forNextStep()).toBe(4)
})
