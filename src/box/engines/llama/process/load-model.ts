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
