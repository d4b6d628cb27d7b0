/** What llama.cpp is built for, in variants of which it takes the best that the processor has; the best first. */
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
 * The best instructions that the loaded variant uses, of what llama.cpp says of itself; null where it names none of them.
 *
 * @example instructionSetOf("CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | REPACK = 1 | ") // "AVX2"
 */
export function instructionSetOf(systemInfo: string): string | null {
  const used = new Set([...systemInfo.matchAll(/(\w+) = 1\b/g)].map(([, name]) => name))
  return sets.find((name) => used.has(name)) ?? null
}
