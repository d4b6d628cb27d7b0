import { vi } from "vitest"

/**
 * Maximum time that tests wait for a condition, in ms. It is much longer than any condition takes on an idle computer, because a timeout on
 * a busy computer makes a test flaky. Speed is measured in `bench/`.
 */
export const waitLimitMs = 45_000

/**
 * Calls `check` until it neither throws nor rejects, and returns its result.
 * @throws the last error of `check`, after `limitMs`
 */
export const waitFor = <T>(check: () => T | Promise<T>, limitMs = waitLimitMs): Promise<T> =>
  vi.waitFor(check, limitMs)
