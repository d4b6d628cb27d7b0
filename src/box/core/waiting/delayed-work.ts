export interface DelayedWork extends AsyncDisposable {
  /** Has the work done in a while, also where it runs now; once, however often it is called until then. */
  ask(): void
}

/**
 * Work that waits a little for more to do, such as telling of changes a few times a second. It runs once at a time; what fails
 * is given to `onFailure`, and the next time comes when it is asked for. Disposing settles when it has ended: nothing begins
 * after that, but what was asked for and hadn't begun isn't done any more. A process may end while it waits.
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
    ask() {
      if (ended) return
      timer ??= setTimeout(() => {
        timer = undefined
        running = running.then(() => (ended ? undefined : work())).catch(onFailure)
      }, delayMs).unref()
    },
    async [Symbol.asyncDispose]() {
      ended = true
      clearTimeout(timer)
      await running
    },
  }
}
