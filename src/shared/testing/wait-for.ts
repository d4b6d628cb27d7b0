import { vi } from "vitest"

/**
 * How long tests wait for a condition, in ms. Much longer than any condition takes on an idle computer: a wait that ends too early
 * on a busy one is a flaky test. Speed is measured in `bench/`.
 */
export const waitLimitMs = 45_000

/**
 * Calls `check` until it neither throws nor rejects, and returns its result.
 * @throws the last error of `check`, after `limitMs`
 */
export const waitFor = <T>(check: () => T | Promise<T>, limitMs = waitLimitMs): Promise<T> =>
  vi.waitFor(check, limitMs)
