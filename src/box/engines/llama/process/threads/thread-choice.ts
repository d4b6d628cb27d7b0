import type { Llama } from "node-llama-cpp"

/** Time at which a slower number of threads is tried again, and the wait after another failure, in milliseconds. */
interface Retry {
  at: number
  wait: number
}

const maxDelayMs = 15_000

const firstRetry: Retry = { at: 0, wait: 300 }

/** Returns the retry after a failure. The wait doubles with each failure and is at least `minMs`. */
const postponed = ({ wait }: Retry, now: number, minMs = 0): Retry => ({
  at: now + Math.max(wait, minMs),
  wait: Math.min(wait * 2, maxDelayMs),
})

/**
 * Chooses the number of threads that read prompts, separately from those that write answers. Each free core speeds up reading, so every
 * prompt starts with all cores. If another program needs one, the threads wait for each other, and all of them together are slower than
 * fewer. One step shows this: its threads get less processor time than its duration. This test works for any step length and any position
 * in a prompt, so no earlier measurements are needed.
 */
interface PromptThreads {
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

/**
 * Chooses the number of threads by measuring how long tokens take. One thread per core is fastest on an idle computer, but many times
 * slower when another program needs a core, so no fixed number is right. More threads are tried now and then, and dropped at the first sign
 * of a slowdown.
 */
export interface TokenThreads {
  readonly threads: number
  /** Reports how long one decoded token took; returns the number of threads to use next. */
  record(tokenMs: number, streams: number): number
}

/** Number of tokens measured before two settings are compared. */
const windowSize = 8
/** A setting is better if it saves at least this share of the time. */
const gain = 0.03
/** If `alarmTokens` tokens are this many times slower than before, another program needs the cores. */
const alarmFactor = 1.4
const alarmTokens = 3
/** A single token this many times slower ends a trial, so that a wrong guess costs one token instead of three. */
const trialFactor = 2

export function createTokenThreads(
  maxThreads: number,
  now: () => number = () => performance.now(),
): TokenThreads {
  const levels = threadLevels(maxThreads)
  const retry = levels.map(() => firstRetry)
  /** Last measured time per token at each level, kept separately for each number of streams. */
  const baselines = new Map<number, (number | undefined)[]>()
  let level = Math.floor((levels.length - 1) / 2)
  /** The level to return to if the one on trial is not better. */
  let trialFrom: number | null = null
  let streams = 1
  let window: number[] = []

  const baseline = (): (number | undefined)[] => {
    const known = baselines.get(streams) ?? levels.map(() => undefined)
    baselines.set(streams, known)
    return known
  }
  const moveTo = (next: number, from: number | null): void => {
    level = next
    trialFrom = from
    window = []
  }
  const postpone = (index: number): void => {
    const entry = retry[index]
    if (entry !== undefined) retry[index] = postponed(entry, now())
  }
  const startTrial = (): void => {
    const due = [level + 1, level - 1].find(
      (index) => now() >= (retry[index]?.at ?? Number.POSITIVE_INFINITY),
    )
    if (due !== undefined) moveTo(due, level)
  }
  const stepBack = (): void => {
    postpone(level)
    moveTo(trialFrom ?? Math.max(0, level - 1), null)
  }

  const isAlarming = (expected: number): boolean => {
    if (trialFrom !== null && (window.at(-1) ?? 0) > expected * trialFactor) return true
    const recent = window.slice(-alarmTokens)
    return recent.length === alarmTokens && recent.every((time) => time > expected * alarmFactor)
  }

  const finishWindow = (expected: number | undefined): void => {
    const measured = meanWithoutLargest(window)
    window = []
    if (trialFrom === null) {
      if (expected !== undefined && measured > expected * alarmFactor) return stepBack()
      baseline()[level] = measured
    } else {
      if (expected !== undefined && measured > expected * (1 - gain)) return stepBack()
      baseline()[level] = measured
      postpone(trialFrom)
      retry[level] = firstRetry
      trialFrom = null
    }
    startTrial()
  }

  return {
    get threads() {
      return levels[level] ?? 1
    },
    record(tokenMs, currentStreams) {
      if (currentStreams !== streams) {
        // Times measured with another number of streams aren't comparable.
        streams = currentStreams
        moveTo(trialFrom ?? level, null)
      }
      window.push(tokenMs)
      const expected = baseline()[trialFrom ?? level]
      if (expected !== undefined && isAlarming(expected)) {
        if (trialFrom === null) baseline()[level] = undefined
        stepBack()
      } else if (window.length >= windowSize) finishWindow(expected)
      return levels[level] ?? 1
    },
  }
}

/** 1, 2, 3, 4, 6, 8, 12, 16, 24 … up to the number of cores, in steps large enough to make a difference. */
function threadLevels(maxThreads: number): number[] {
  const levels: number[] = []
  for (let threads = 1; threads < maxThreads; threads += Math.max(1, 2 ** Math.floor(Math.log2(threads)) / 2))
    levels.push(threads)
  return [...levels, Math.max(1, maxThreads)]
}

/** Speed is judged by the mean, without the largest value, so that a single delay has no effect. */
function meanWithoutLargest(values: number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  return (sum - Math.max(...values)) / (values.length - 1)
}

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
