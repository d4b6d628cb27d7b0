export interface DelayedWork extends AsyncDisposable {
  /** Schedules the work, even if it is running now. Further calls until it starts have no effect. `ms` replaces the usual delay. */
  ask(ms?: number): void
}

/**
 * Work that waits briefly to combine requests, such as reporting changes a few times a second. It never runs concurrently. Errors are
 * passed to `onFailure`, and the work runs again at the next request. Disposal settles when running work has ended; scheduled work is
 * dropped. The timer doesn't keep the process alive.
 */
export function createDelayedWork(
  work: () => Promise<unknown>,
  delayMs: number,
  onFailure: (error: unknown) => void,
): DelayedWork {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  let ended = false
  return {
    ask(ms = delayMs) {
      if (ended) return
      timer ??= setTimeout(() => {
        timer = undefined
        running = running.then(() => (ended ? undefined : work())).catch(onFailure)
      }, ms).unref()
    },
    async [Symbol.asyncDispose]() {
      ended = true
      clearTimeout(timer)
      await running
    },
  }
}
