/** When a number of threads that was slower is tried again, and how long after a further failure, in milliseconds. */
export interface Retry {
  at: number
  wait: number
}

const longestMs = 15_000

export const firstRetry: Retry = { at: 0, wait: 300 }

/** After a failure: the wait doubles with each, and is at least `leastMs`. */
export const postponed = ({ wait }: Retry, now: number, leastMs = 0): Retry => ({
  at: now + Math.max(wait, leastMs),
  wait: Math.min(wait * 2, longestMs),
})
