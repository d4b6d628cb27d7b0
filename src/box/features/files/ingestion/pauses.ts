import type { JobsInProgress } from "./jobs-in-work.ts"
import type { QueueStore } from "./queue-store.ts"
import { maxRetryDelayMs } from "./waiting-jobs.ts"

/** Pauses ingestion and resumes it. */
export interface Pauses extends Disposable {
  /** Returns whether ingestion is paused or has ended. */
  isHalted(): boolean
  /** Pauses because of a problem with the disk, the database or the data directory. */
  rest(): void
  /** Wakes ingestion when the next postponed file is due. */
  awaitRetry(): Promise<void>
}

export interface PausesDeps {
  queue: Pick<QueueStore, "listRunning" | "putBack" | "nextRetry">
  works: Pick<JobsInProgress, "has">
  pauseMs: number
  /** Returns whether files may be read and written. They may not if the data directory no longer belongs to the box. */
  isInPlace(): boolean
  start(task: () => Promise<void>): void
  wake(): void
  /** Ends ingestion. */
  signal: AbortSignal
}

export function createPauses({ queue, works, pauseMs, isInPlace, start, wake, signal }: PausesDeps): Pauses {
  let pause: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let lastQuery = 0

  function isHalted(): boolean {
    if (!isInPlace()) rest()
    return signal.aborted || pause !== undefined
  }

  function rest(): void {
    if (signal.aborted) return
    pause ??= setTimeout(() => {
      pause = undefined
      start(resume)
    }, pauseMs).unref()
  }

  async function resume(): Promise<void> {
    const lost = (await queue.listRunning()).filter((id) => !works.has(id))
    await queue.putBack(lost)
    wake()
  }

  return {
    isHalted,
    rest,
    async awaitRetry() {
      const query = ++lastQuery
      const at = await queue.nextRetry()
      if (query !== lastQuery) return // a later query knows more, but it may have been answered earlier
      clearTimeout(retry)
      if (at === null || isHalted()) return
      const waitMs = at - Date.now()
      retry = setTimeout(wake, waitMs > maxRetryDelayMs ? 0 : Math.max(waitMs, 0)).unref()
    },
    [Symbol.dispose]() {
      clearTimeout(pause)
      clearTimeout(retry)
    },
  }
}
