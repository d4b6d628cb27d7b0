import childProcess from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"
import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from "node-llama-cpp"
import type { LoadModel } from "../protocol.ts"

/** Messages that node-llama-cpp sends to the process in which it tests its native code, each with the reply of a process that passes. */
const answers: Record<string, string | undefined> = { start: "loaded", test: "done" }
/** node-llama-cpp sends its messages at once. If a newer version behaves differently, the test fails after this time. */
const silenceMs = 2_000

/**
 * Opens llama.cpp without the test that node-llama-cpp runs on its native code in a separate process each time, which takes a third of a
 * second. Use it only for code that has passed before. node-llama-cpp has no option for this.
 */
async function withPassedTrial<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const { fork } = childProcess
  childProcess.fork = () => new PassingTrial() as unknown as ChildProcess
  syncBuiltinESMExports()
  try {
    return await open()
  } finally {
    childProcess.fork = fork
    syncBuiltinESMExports()
  }
}

/** Replies like a test process that passes. */
class PassingTrial extends EventEmitter {
  exitCode: number | null = null
  readonly #silence = setTimeout(() => this.#exit(1), silenceMs)

  constructor() {
    super()
    setImmediate(() => this.emit("message", { type: "ready" }))
  }

  send(message: { type: string }): void {
    const answer = answers[message.type]
    setImmediate(() => {
      if (answer === undefined) this.#exit(message.type === "exit" ? 0 : 1)
      else this.emit("message", { type: answer })
    })
  }

  kill(): void {
    this.#exit(1)
  }

  #exit(code: number): void {
    clearTimeout(this.#silence)
    if (this.exitCode !== null) return
    this.exitCode = code
    this.emit("exit", code)
  }
}

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
