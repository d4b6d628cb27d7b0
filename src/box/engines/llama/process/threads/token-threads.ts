import { firstRetry, postponed } from "./retry.ts"

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
