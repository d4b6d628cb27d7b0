/** A step that is repeated. */
export interface RepeatedStep {
  /** Ends a long pause: the current one or the one after the current step. */
  endLongPause(): void
  /** Ends every pause. Settles when no further step runs, after the signal was aborted. */
  ended(): Promise<void>
}

/**
 * Repeats a step until the signal is aborted.
 *
 * @param step returns the pause in ms before the next step; must not throw
 * @param shortMs `hurry` doesn't end pauses up to this length
 */
export function repeatStep(step: () => Promise<number>, shortMs: number, signal: AbortSignal): RepeatedStep {
  let alarm = Promise.withResolvers<void>()
  let restingLong = true

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      alarm = Promise.withResolvers()
      restingLong = true
      await rest(await step())
    }
  }

  async function rest(ms: number): Promise<void> {
    if (signal.aborted) return
    restingLong = ms > shortMs
    const timer = setTimeout(alarm.resolve, ms).unref()
    await alarm.promise
    clearTimeout(timer)
  }

  const repeating = repeat()
  return {
    endLongPause() {
      if (restingLong) alarm.resolve()
    },
    ended() {
      alarm.resolve()
      return repeating
    },
  }
}
