/**
 * Chooses the number of threads by measuring how long tokens take. Decoding with as many threads as cores is fastest
 * on an idle machine and many times slower as soon as another program needs one of the cores, so no fixed number is
 * right: more threads are tried now and then, and given up at the first sign that they slow things down.
 */
export interface ThreadController {
  readonly threads: number
  /** Reports the time one decoded token took; returns the number of threads to use from now on. */
  record(tokenMs: number, streams: number): number
}

/** Tokens measured before two settings are compared. */
const windowSize = 8
/** A setting is better when it saves at least this share of the time. */
const gain = 0.03
/** This many times slower than before, for `alarmTokens` tokens, means that somebody needs the cores. */
const alarmFactor = 1.4
const alarmTokens = 3
const firstRetryMs = 300
const longestRetryMs = 15_000

export function createThreadController(
  maxThreads: number,
  now: () => number = () => performance.now(),
): ThreadController {
  const levels = threadLevels(maxThreads)
  /** Typical time of a token at each level, as last measured with `measuredStreams` streams. */
  const typical: (number | undefined)[] = levels.map(() => undefined)
  const retry = levels.map(() => ({ at: 0, wait: firstRetryMs }))
  let level = Math.floor((levels.length - 1) / 2)
  /** Where to return to when the level on trial is not better. */
  let trialFrom: number | null = null
  let measuredStreams = 1
  let window: number[] = []

  const moveTo = (next: number, from: number | null): void => {
    level = next
    trialFrom = from
    window = []
  }
  const postpone = (index: number): void => {
    const entry = retry[index]
    if (entry === undefined) return
    entry.at = now() + entry.wait
    entry.wait = Math.min(entry.wait * 2, longestRetryMs)
  }
  const giveUpTrial = (): void => {
    if (trialFrom === null) return
    postpone(level)
    moveTo(trialFrom, null)
  }
  const tryOther = (): void => {
    const up = level + 1
    const due = retry[up]
    if (due !== undefined && now() >= due.at) moveTo(up, level)
  }

  const finishWindow = (): void => {
    const measured = median(window)
    window = []
    typical[level] = measured
    const before = trialFrom === null ? undefined : typical[trialFrom]
    if (trialFrom !== null && before !== undefined) {
      if (measured > before * (1 - gain)) return giveUpTrial()
      const entry = retry[level]
      if (entry !== undefined) entry.wait = firstRetryMs
      trialFrom = null
    }
    tryOther()
  }

  return {
    get threads() {
      return levels[level] ?? 1
    },
    record(tokenMs, streams) {
      if (streams !== measuredStreams) {
        // Times with another number of streams can't be compared: measure anew.
        measuredStreams = streams
        typical.fill(undefined)
        if (trialFrom !== null) moveTo(trialFrom, null)
        window = []
      }
      window.push(tokenMs)
      const expected = typical[trialFrom ?? level]
      if (expected !== undefined && window.length >= alarmTokens) {
        const recent = window.slice(-alarmTokens)
        if (recent.every((time) => time > expected * alarmFactor)) {
          if (trialFrom !== null) giveUpTrial()
          else if (level > 0) {
            postpone(level)
            typical.fill(undefined)
            moveTo(level - 1, null)
          }
          return levels[level] ?? 1
        }
      }
      if (window.length >= windowSize) finishWindow()
      return levels[level] ?? 1
    },
  }
}

/** 1, 2, 3, 4, 6, 8, 12, 16, 24 … up to the number of cores: steps wide enough to make a difference. */
function threadLevels(maxThreads: number): number[] {
  const levels: number[] = []
  for (let threads = 1; threads < maxThreads; threads += Math.max(1, 2 ** Math.floor(Math.log2(threads)) / 2))
    levels.push(threads)
  return [...levels, Math.max(1, maxThreads)]
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
