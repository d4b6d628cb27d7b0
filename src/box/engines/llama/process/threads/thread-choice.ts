import type { Llama } from "node-llama-cpp"
import { createPromptThreads } from "./prompt-threads.ts"
import { createTokenThreads } from "./token-threads.ts"

/** Sets the number of threads of a context, separately for reading prompts and for writing answers. */
export interface ThreadChoice {
  /** Evaluates a step of a prompt; settles with its duration in milliseconds. */
  readStep(evaluate: () => Promise<unknown>): Promise<number>
  /** Reports how long one token took while `streams` answers were being written. */
  recordToken(milliseconds: number, streams: number): void
}

/** Calls `onThreads` when the thread count for answers changes. With a GPU the thread count is left unchanged. */
export function createThreadChoice(
  llama: Pick<Llama, "gpu" | "cpuMathCores" | "maxThreads">,
  onThreads: (threads: number) => void,
): ThreadChoice {
  if (llama.gpu !== false) return { readStep: timed, recordToken: () => undefined }
  const prompts = createPromptThreads(llama.cpuMathCores)
  const tokens = createTokenThreads(llama.cpuMathCores)
  llama.maxThreads = tokens.threads
  let reading = 0
  return {
    async readStep(evaluate) {
      reading++
      llama.maxThreads = prompts.nextThreadCount()
      const before = process.cpuUsage()
      try {
        const elapsed = await timed(evaluate)
        const { user, system } = process.cpuUsage(before)
        prompts.record(elapsed, (user + system) / 1000)
        return elapsed
      } finally {
        if (--reading === 0) llama.maxThreads = tokens.threads
      }
    },
    recordToken(milliseconds, streams) {
      const before = tokens.threads
      const after = tokens.record(milliseconds, streams)
      if (after === before) return
      llama.maxThreads = after
      onThreads(after)
    },
  }
}

async function timed(evaluate: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await evaluate()
  return performance.now() - started
}
