const windowMs = 60_000
const maxCrashes = 3

/** Returns after each crash whether to retry: at most three times within a minute. */
export function createCrashLimit(now: () => number = Date.now): () => boolean {
  let crashes: number[] = []
  return () => {
    crashes = [...crashes.filter((time) => now() - time < windowMs), now()]
    return crashes.length <= maxCrashes
  }
}
