/** A step that is taken again and again. */
export interface RepeatedStep {
  /** Ends a long rest, the present one or that which follows the present step. */
  hurry(): void
  /** Ends every rest; settles when no step is taken any more, once the signal is aborted. */
  ended(): Promise<void>
}

/**
 * Takes a step again and again, until the signal is aborted.
 *
 * @param step answers how long to rest before the next; must not throw
 * @param shortMs rests up to this are short: nothing that happens ends them
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
    hurry() {
      if (restingLong) alarm.resolve()
    },
    ended() {
      alarm.resolve()
      return repeating
    },
  }
}
