import { expect, test } from "vitest"
import { nextStep, getStep } from "./prefill.ts"

// Catches steps whose tokens attend to the earlier ones singly, at three times the cost.
test("steps are whole tiles, unless a tile takes more than four times the intended step time", () => {
  expect([140, 280, 560].map((ms) => nextStep(64, ms))).toEqual([64, 64, 64])
  expect(nextStep(64, 700)).toBe(32)
  expect(nextStep(64, 20)).toBe(128)
  expect(nextStep(32, 400)).toBe(32)
  expect(nextStep(32, 200)).toBe(64)
  expect(nextStep(512, 10)).toBe(512)
})

test("tokens left over join the previous step when that is worthwhile", () => {
  expect([10, 64, 71, 100, 128, 200].map((left) => getStep(left, 64))).toEqual([10, 64, 64, 100, 64, 64])
  expect(getStep(70, 32)).toBe(32)
})
