import { onTestFinished, vi } from "vitest"

/** Stops the clock until the test ends, so that no day, hour or minute ends during it. Timers still run. */
export function stopClock(at = new Date()): void {
  vi.useFakeTimers({ toFake: ["Date"], now: at })
  onTestFinished(() => void vi.useRealTimers())
}
