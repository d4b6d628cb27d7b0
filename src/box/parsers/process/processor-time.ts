import { waitAtMost } from "../../core/waiting/abort-and-timeout.ts"

/** Processor time limit of this process, in memory shared with the watchdog's thread. */
export interface ProcessorTime {
  /** For the watchdog: a single number, the processor time of this process, in ms, at which it has to end. */
  readonly end: Float64Array
  /** Allows this much time, in ms, from now until the next call. */
  allow(ms: number): void
}

export function createProcessorTime(): ProcessorTime {
  const end = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity)
  return {
    end,
    allow(ms) {
      const { user, system } = process.cpuUsage()
      end[0] = (user + system) / 1000 + ms
    },
  }
}

export interface TimeLimits {
  /**
   * Maximum processor time of this process, in ms. When other programs are busy, the same work takes several times as long on the clock.
   */
  processorMs: number
  /** Maximum time on the clock, in ms. */
  timeoutMs: number
  /** Interval between checks, in ms, at which progress is also reported. */
  stepMs: number
}

const defaults: TimeLimits = { processorMs: 50_000, timeoutMs: 10 * 60_000, stepMs: 5_000 }

/** Settles like `work`, which runs in threads of this process, or resolves with undefined when it takes too long. */
export async function withinProcessorTime<T>(
  work: Promise<T>,
  onStep: () => void,
  { processorMs, timeoutMs, stepMs }: TimeLimits = defaults,
): Promise<T | undefined> {
  const before = process.cpuUsage()
  const { promise: tooLong, resolve } = Promise.withResolvers<undefined>()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1000 > processorMs) resolve(undefined)
    else onStep()
  }, stepMs)
  try {
    return await waitAtMost(timeoutMs, Promise.race([work, tooLong]))
  } finally {
    clearInterval(timer)
  }
}
