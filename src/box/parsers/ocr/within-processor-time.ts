import { waitAtMost } from "../../core/waiting/time-limit.ts"

export interface ProcessorTime {
  /** Processor time of this process, in ms. Where other programs are busy, the same work takes several times as long. */
  processorMs: number
  /** Time by the clock, in ms. */
  longestMs: number
  /** How often it is looked at, and whoever waits hears that the work goes on, in ms. */
  stepMs: number
}

const defaults: ProcessorTime = { processorMs: 50_000, longestMs: 10 * 60_000, stepMs: 5_000 }

/** Settles as `work` does, which threads of this process do, or with undefined when it takes too long. */
export async function withinProcessorTime<T>(
  work: Promise<T>,
  onStep: () => void,
  { processorMs, longestMs, stepMs }: ProcessorTime = defaults,
): Promise<T | undefined> {
  const before = process.cpuUsage()
  const { promise: tooLong, resolve } = Promise.withResolvers<undefined>()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1000 > processorMs) resolve(undefined)
    else onStep()
  }, stepMs)
  try {
    return await waitAtMost(longestMs, Promise.race([work, tooLong]))
  } finally {
    clearInterval(timer)
  }
}
