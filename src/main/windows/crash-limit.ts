const windowMs = 60_000
const mostCrashes = 3

/** Says after each crash whether to try once more: three times within a minute, then no longer. */
export function createCrashLimit(now: () => number = Date.now): () => boolean {
  let crashes: number[] = []
  return () => {
    crashes = [...crashes.filter((time) => now() - time < windowMs), now()]
    return crashes.length <= mostCrashes
  }
}
