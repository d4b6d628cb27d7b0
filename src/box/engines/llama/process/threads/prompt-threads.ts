import { firstRetry, postponed } from "./retry.ts"

/**
 * Chooses the number of threads that read prompts, apart from those that write answers. Reading gains by every core that is
 * free, so it begins with all of them, from the first prompt on. Where another program needs one, the threads wait for
 * one another, and all together are slower than fewer. One step tells: its threads had less processor time than it
 * lasted. That holds however long a step is and wherever in a prompt it stands, so nothing is compared with before.
 */
export interface PromptThreads {
  /** Threads for the next step. */
  forNextStep(): number
  /** Reports a step: how long it took, and the processor time of this whole process meanwhile, in milliseconds. */
  record(elapsedMs: number, processorMs: number): void
}

/** Shorter steps say nothing: some systems count processor time in ticks of 16 ms. */
const shortestMs = 30
/** Share of a thread that may be missing without anybody else needing its core. */
const missing = 0.2
/** All cores are tried again after so many times what that step took at least: on a machine with much to do it takes seconds. */
const retryShare = 10

export function createPromptThreads(
  maxThreads: number,
  now: () => number = () => performance.now(),
): PromptThreads {
  let threads = maxThreads
  let retry = firstRetry
  return {
    forNextStep() {
      if (now() >= retry.at) threads = maxThreads
      return threads
    },
    record(elapsedMs, processorMs) {
      if (elapsedMs < shortestMs) return
      const free = Math.max(1, Math.floor(processorMs / elapsedMs + missing))
      if (free < threads) {
        threads = free
        retry = postponed(retry, now(), elapsedMs * retryShare)
      } else if (threads === maxThreads) retry = firstRetry
    },
  }
}
