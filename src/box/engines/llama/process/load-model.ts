import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from "node-llama-cpp"
import type { LoadModel } from "../protocol.ts"
import { withPassedTrial } from "./passed-trial.ts"

/** Opens llama.cpp. It uses prebuilt binaries only and never downloads or compiles anything. */
export async function openLlama({ gpu, proven }: Pick<LoadModel, "gpu" | "proven">): Promise<Llama> {
  const open = () =>
    getLlama({
      gpu: proven ?? (gpu ? "auto" : false),
      build: "never",
      skipDownload: true,
      logLevel: LlamaLogLevel.error,
      progressLogs: false,
    })
  return proven === null ? open() : withPassedTrial(open)
}

export async function loadModel(
  llama: Llama,
  { modelPath }: LoadModel,
  onProgress: (progress: number) => void,
): Promise<LlamaModel> {
  let reported = -1
  return llama.loadModel({
    modelPath,
    onLoadProgress(progress) {
      const percent = Math.floor(progress * 100)
      if (percent === reported) return
      reported = percent
      onProgress(progress)
    },
  })
}

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
