import { expect, test } from "vitest"
import { nextStep, stepOf } from "./prefill.ts"

// Would catch: steps of which each token attends to what stands before it by itself, at three times the cost.
test("steps are whole tiles, unless one takes four times as long as a step should", () => {
  expect([140, 280, 560].map((ms) => nextStep(64, ms))).toEqual([64, 64, 64])
  expect(nextStep(64, 700)).toBe(32)
  expect(nextStep(64, 20)).toBe(128)
  expect(nextStep(32, 400)).toBe(32)
  expect(nextStep(32, 200)).toBe(64)
  expect(nextStep(512, 10)).toBe(512)
})

test("what is left over goes along where it is worth it", () => {
  expect([10, 64, 71, 100, 128, 200].map((left) => stepOf(left, 64))).toEqual([10, 64, 64, 100, 64, 64])
  expect(stepOf(70, 32)).toBe(32)
})
