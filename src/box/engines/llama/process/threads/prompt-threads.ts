import { firstRetry, postponed } from "./retry.ts"

/**
 * Chooses the number of threads that read prompts, separately from those that write answers. Each free core speeds up reading, so every
 * prompt starts with all cores. If another program needs one, the threads wait for each other, and all of them together are slower than
 * fewer. One step shows this: its threads get less processor time than its duration. This test works for any step length and any position
 * in a prompt, so no earlier measurements are needed.
 */
export interface PromptThreads {
  /** Threads for the next step. */
  nextThreadCount(): number
  /** Reports a step: its duration, and the processor time that this whole process used during it, in milliseconds. */
  record(elapsedMs: number, processorMs: number): void
}

/** Minimum duration of a step that is evaluated, because some systems measure processor time in ticks of 16 ms. */
const minMs = 30
/** Share of a thread's time that may be missing without another program needing its core. */
const missing = 0.2
/** Minimum wait before all cores are tried again, as a multiple of the step's duration. On a busy computer a step takes seconds. */
const retryShare = 10

export function createPromptThreads(
  maxThreads: number,
  now: () => number = () => performance.now(),
): PromptThreads {
  let threads = maxThreads
  let retry = firstRetry
  return {
    nextThreadCount() {
      if (now() >= retry.at) threads = maxThreads
      return threads
    },
    record(elapsedMs, processorMs) {
      if (elapsedMs < minMs) return
      const free = Math.max(1, Math.floor(processorMs / elapsedMs + missing))
      if (free < threads) {
        threads = free
        retry = postponed(retry, now(), elapsedMs * retryShare)
      } else if (threads === maxThreads) retry = firstRetry
    },
  }
}
