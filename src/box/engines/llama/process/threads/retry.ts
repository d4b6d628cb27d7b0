/** Time at which a slower number of threads is tried again, and the wait after another failure, in milliseconds. */
export interface Retry {
  at: number
  wait: number
}

const maxDelayMs = 15_000

export const firstRetry: Retry = { at: 0, wait: 300 }

/** Returns the retry after a failure. The wait doubles with each failure and is at least `minMs`. */
export const postponed = ({ wait }: Retry, now: number, minMs = 0): Retry => ({
  at: now + Math.max(wait, minMs),
  wait: Math.min(wait * 2, maxDelayMs),
})
