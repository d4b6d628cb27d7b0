import type { Logger } from "../../../core/logging/logger.ts"
import type { JobsInProgress } from "./jobs-in-work.ts"
import { getOutcome, type ErrorOutcome } from "./outcome.ts"
import type { Job } from "./job.ts"
import type { QueueStore } from "./queue-store.ts"

/** Ends a job that failed or was cancelled. */
export type SettleJob = (job: Job, error: unknown) => Promise<void>

export interface SettleJobDeps {
  queue: Pick<QueueStore, "end" | "awaitRoom" | "putBack" | "putOff">
  works: Pick<JobsInProgress, "isCurrent" | "end">
  logger: Logger
  /** Delays in ms before a temporary failure is retried: after the first attempt, the second and so on. */
  retryAfterMs: readonly number[]
  /** Called after the state of files has changed. */
  changed(fileIds: readonly string[]): void
  /** Called when nothing can be stored for a while. */
  rest(): void
  wake(): void
  /** Ends ingestion. Jobs that fail because of this aren't the file's fault. */
  signal: AbortSignal
}

export function createSettleJob(deps: SettleJobDeps): SettleJob {
  const { queue, works, logger, retryAfterMs, changed, rest, wake, signal } = deps

  async function record(job: Job, outcome: ErrorOutcome, error: unknown): Promise<void> {
    switch (outcome.kind) {
      case "end":
        return queue.end(job, outcome)
      case "disk-full":
        logger.warn({ fileId: job.fileId }, "Indexing is paused: the disk is full")
        rest()
        return queue.awaitRoom(job)
      case "put-back":
        return queue.putBack([job.fileId])
      case "later": {
        const { attempts, note, reason } = outcome
        logger.warn({ err: error, fileId: job.fileId }, "Indexing a file failed for now")
        const waitMs = retryAfterMs[Math.min(job.attempts, retryAfterMs.length - 1)] ?? 0
        if (job.attempts + 1 < attempts) return queue.putOff(job, { waitMs, note })
        await queue.end(job, { status: "failed", reason })
      }
    }
  }

  return async (job, error) => {
    if (!works.isCurrent(job)) return
    const outcome = getOutcome(error, signal.aborted)
    try {
      await record(job, outcome, error)
    } catch (cause) {
      logger.error({ err: cause, fileId: job.fileId }, "The state of a file couldn't be stored")
      rest()
    }
    changed([job.fileId])
    works.end(job)
    if (outcome.kind !== "end") wake() // a pause may have ended before the file was queued again
  }
}
