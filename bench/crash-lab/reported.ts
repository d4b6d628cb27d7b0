import { setTimeout as pause } from "node:timers/promises"

const limitMs = 10_000
const pollMs = 50

/** Waits until one of the texts names a fault. Returns the elapsed milliseconds, or null if none does within ten seconds. */
export async function waitUntilReported(
  names: RegExp,
  texts: () => readonly string[],
  over: () => boolean = () => false,
): Promise<number | null> {
  const startedAt = performance.now()
  for (;;) {
    if (texts().some((text) => names.test(text))) return performance.now() - startedAt
    if (performance.now() - startedAt > limitMs || over()) return null
    await pause(pollMs)
  }
}
