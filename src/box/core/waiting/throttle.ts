import { waitAtMost } from "./abort-and-timeout.ts"

/** Calls a function for the first call within this many milliseconds, and ignores the others. */
export function throttle(
  milliseconds: number,
  call: () => void,
  now: () => number = () => performance.now(),
): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (now() < last + milliseconds) return
    last = now()
    call()
  }
}

/** Shares one result of `look` among all calls within this many milliseconds, which is the maximum age of the result. */
export function coalesce<T>(
  milliseconds: number,
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let latest: { at: number; seen: Promise<T> } | undefined
  return () => {
    if (!latest || now() >= latest.at + milliseconds) latest = { at: now(), seen: read() }
    return latest.seen
  }
}

/**
 * Returns the result of `look`, or undefined after the time limit. Concurrent calls share one run, so that an unresponsive target isn't
 * called repeatedly.
 */
export function coalesceWithTimeout<T>(
  limitMs: number,
  read: () => Promise<T>,
): () => Promise<T | undefined> {
  let pending: Promise<T> | undefined
  return () => waitAtMost(limitMs, (pending ??= read().finally(() => (pending = undefined))))
}
