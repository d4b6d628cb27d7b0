/** Time at which a slower number of threads is tried again, and the wait after another failure, in milliseconds. */
export interface Retry {
  at: number
  wait: number
}

const longestMs = 15_000

export const firstRetry: Retry = { at: 0, wait: 300 }

/** Returns the retry after a failure. The wait doubles with each failure and is at least `leastMs`. */
export const postponed = ({ wait }: Retry, now: number, leastMs = 0): Retry => ({
  at: now + Math.max(wait, leastMs),
  wait: Math.min(wait * 2, longestMs),
})
