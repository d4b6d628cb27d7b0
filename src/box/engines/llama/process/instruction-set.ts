/** Instruction sets of llama.cpp's build variants, best first. llama.cpp loads the best variant that the processor supports. */
const sets = [
  "AMX_INT8",
  "AVX512_BF16",
  "AVX512_VNNI",
  "AVX512",
  "AVX_VNNI",
  "AVX2",
  "AVX",
  "SSE3",
  "SVE",
  "MATMUL_INT8",
  "DOTPROD",
  "NEON",
]

/**
 * Returns the best instruction set that the loaded variant reports in llama.cpp's system information, or null if it names none of them.
 *
 * @example getInstructionSet("CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | REPACK = 1 | ") // "AVX2"
 */
export function getInstructionSet(systemInfo: string): string | null {
  const used = new Set([...systemInfo.matchAll(/(\w+) = 1\b/g)].map(([, name]) => name))
  return sets.find((name) => used.has(name)) ?? null
}
