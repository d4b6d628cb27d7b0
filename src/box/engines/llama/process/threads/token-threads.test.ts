import { expect, test } from "vitest"
import { createTokenThreads, type TokenThreads } from "./thread-choice.ts"

/** Time per token on a simulated computer, by number of threads. */
type Machine = (threads: number) => number

/** A computer whose tokens get faster with every thread while no other program needs the cores. */
const idle: Machine = (threads) => 12 / threads
/** While another program uses one of the cores, every thread waits for the one that shares it (measured: 35 to 80 ms). */
const busy =
  (cores: number): Machine =>
  (threads) =>
    threads >= cores ? 60 : 12 / threads

/** Decodes tokens on a simulated clock. */
function simulate(cores: number) {
  const clock = { now: 0 }
  const controller: TokenThreads = createTokenThreads(cores, () => clock.now)
  return {
    controller,
    clock,
    decode(tokens: number, machine: Machine, streams = 1): number {
      const started = clock.now
      for (let token = 0; token < tokens; token++) {
        const time = machine(controller.threads)
        clock.now += time
        controller.record(time, streams)
      }
      return clock.now - started
    },
  }
}

test("uses all cores of an idle computer within a hundred tokens", () => {
  for (const cores of [1, 2, 4, 8, 16]) {
    const { controller, decode } = simulate(cores)
    decode(100, idle)
    expect(controller.threads).toBe(cores)
  }
})

test("gives a core back within a few tokens when another program needs it", () => {
  const { controller, decode } = simulate(2)
  decode(100, idle)
  decode(4, busy(2))
  expect(controller.threads).toBe(1)
})

test("keeps at least 80 % of the one-thread rate while another program stays busy", () => {
  const { decode } = simulate(2)
  decode(100, idle)
  const tokens = 256
  const time = decode(tokens, (threads) => (threads === 2 ? 120 : 12))
  expect((tokens * 12) / time).toBeGreaterThan(0.8)
})

test("uses all cores again after the other program ends", () => {
  const { controller, clock, decode } = simulate(2)
  decode(100, idle)
  decode(200, busy(2))
  clock.now += 15_000
  decode(60, idle)
  expect(controller.threads).toBe(2)
})

test("does not keep threads that bring no gain", () => {
  const memoryBound: Machine = (threads) => (threads >= 4 ? 10 : 40 / threads)
  const { controller, decode } = simulate(16)
  decode(400, memoryBound)
  expect(controller.threads).toBeLessThanOrEqual(6)
  expect(controller.threads).toBeGreaterThanOrEqual(4)
})

test("does not change after one slow token", () => {
  const { controller, decode } = simulate(2)
  decode(100, idle)
  decode(1, () => 500)
  decode(20, idle)
  expect(controller.threads).toBe(2)
})

test("does not mistake more streams for a busy computer", () => {
  const { controller, decode } = simulate(2)
  decode(100, idle)
  decode(1, (threads) => 3 * idle(threads), 4)
  expect(controller.threads).toBe(2)
  decode(100, (threads) => 3 * idle(threads), 4)
  expect(controller.threads).toBe(2)
})

test("finds that fewer threads are better even if the computer was never idle", () => {
  const { controller, decode } = simulate(2)
  decode(100, idle)
  decode(60, (threads) => 2 * busy(2)(threads), 4)
  expect(controller.threads).toBe(1)
})

test("notices a program that needs the core only for every second token", () => {
  const { decode } = simulate(2)
  decode(100, idle)
  let token = 0
  const half: Machine = (threads) => (token++ % 2 === 0 ? busy(2)(threads) : idle(threads))
  const time = decode(1000, half)
  expect((1000 * 12) / time).toBeGreaterThan(0.75)
})

test("spends almost nothing on trials while nothing changes", () => {
  const { decode } = simulate(2)
  decode(100, idle)
  expect(decode(2000, idle)).toBeLessThan(2000 * 6 * 1.02)
})
