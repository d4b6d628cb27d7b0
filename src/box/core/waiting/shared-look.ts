import { waitAtMost } from "./time-limit.ts"

/** Looks for all who ask within so many milliseconds at once: what they get is as old at most. */
export function sharedLook<T>(
  milliseconds: number,
  look: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let latest: { at: number; seen: Promise<T> } | undefined
  return () => {
    if (!latest || now() >= latest.at + milliseconds) latest = { at: now(), seen: look() }
    return latest.seen
  }
}

/** Looks, or says undefined past the limit; while a look goes on, no other begins: what doesn't answer isn't asked ever more. */
export function patientLook<T>(limitMs: number, look: () => Promise<T>): () => Promise<T | undefined> {
  let looking: Promise<T> | undefined
  return () => waitAtMost(limitMs, (looking ??= look().finally(() => (looking = undefined))))
}
