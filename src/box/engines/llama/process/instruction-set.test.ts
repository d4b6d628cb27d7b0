import { expect, test } from "vitest"
import { getInstructionSet } from "./load-model.ts"

// Catches a weaker set reported as a stronger one, a disabled set, and words that only contain a set's name.
test.each([
  ["CPU : SSE3 = 1 | SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | LLAMAFILE = 1 | REPACK = 1 | ", "AVX2"],
  ["CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | AVX512 = 1 | AVX512_VNNI = 1 | AMX_INT8 = 0 | ", "AVX512_VNNI"],
  ["CPU : NEON = 1 | ARM_FMA = 1 | DOTPROD = 1 | ", "DOTPROD"],
  ["CPU : SSSE3 = 1 | LLAMAFILE = 1 | ", null],
  ["", null],
])("%s: %s", (systemInfo, set) => {
  expect(getInstructionSet(systemInfo)).toBe(set)
})
