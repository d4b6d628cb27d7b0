import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { ObjectStoreUnavailable, ObjectStoreRefused } from "../../../core/objects/object-store.ts"
import { getTransientCause, type TransientCause, ParseFailure } from "../../../parsers/parser.ts"
import { type Job, ModelUnavailable } from "./job.ts"
import type { QueueStore } from "./queue-store.ts"

/** A job from its claim until it is stored or ended. */
export interface Work {
  job: Job
  stop: AbortController
  /** The readers that read its file, once it was read or its reader has failed. */
  readers?: string | undefined
  done: PromiseWithResolvers<void>
}

/** Reason for cancelled work: its file was changed or deleted, its folder was released, or the box is stopping. */
export const superseded = Symbol("the file was changed, deleted or released")

/** The files that are claimed, read or being stored. Each is in work for one job at a time. */
export interface JobsInProgress {
  readonly size: number
  has(fileId: string): boolean
  /** Returns whether the file is still in work for this job. */
  isCurrent(job: Job): boolean
  begin(job: Job): Work
  /** Ends the work on a job, unless its file is now in work for another one. */
  end(job: Job): void
  /** Cancels the work on files. The code that does the work then ends it. */
  cancel(fileIds: readonly string[]): void
  /** Cancels all selected work and returns it. */
  stop(chosen: (job: Job) => boolean): Work[]
  /** Settles when all current work has ended. */
  done(): Promise<void>
}

/** @param onEnd called after the work on a job has ended */
export function createJobsInProgress(onEnd: () => void): JobsInProgress {
  const works = new Map<string, Work>()

  return {
    get size() {
      return works.size
    },
    has: (fileId) => works.has(fileId),
    isCurrent: (job) => works.get(job.fileId)?.job === job,
    begin(job) {
      const work = { job, stop: new AbortController(), done: Promise.withResolvers<void>() }
      works.set(job.fileId, work)
      return work
    },
    end(job) {
      const work = works.get(job.fileId)
      if (work?.job !== job) return
      works.delete(job.fileId)
      work.stop.abort(superseded)
      work.done.resolve()
      onEnd()
    },
    cancel(fileIds) {
      for (const id of fileIds) works.get(id)?.stop.abort(superseded)
    },
    stop(chosen) {
      const stopped = [...works.values()].filter((work) => chosen(work.job))
      for (const { stop } of stopped) stop.abort(superseded)
      return stopped
    },
    async done() {
      await Promise.all([...works.values()].map((work) => work.done.promise))
    },
  }
}

/** The consequence of an error for the file in which it occurred. */
type ErrorOutcome =
  /** Final. */
  | { kind: "end"; status: "failed" | "skipped"; reason: FileReason }
  /** Not the file's fault: it waits in the queue until there is disk space. */
  | { kind: "disk-full" }
  /** The work was cancelled. */
  | { kind: "put-back" }
  /** Possibly temporary: retried up to this many times, with increasing delays. */
  | { kind: "later"; attempts: number; note: FileReason; reason: FileReason }

const diskFullCodes = new Set(["disk_full", "ENOSPC", "EDQUOT", "SQLITE_FULL"])
const gone = new Set(["not_found", "ENOENT", "ENOTDIR"])

const later: Record<
  TransientCause | "storeAway" | "fault",
  { kind: "later"; attempts: number; note: FileReason }
> = {
  locked: {
    kind: "later",
    attempts: Infinity,
    note: reason("locked"),
  },
  device: {
    kind: "later",
    attempts: 6,
    note: reason("device_failing"),
  },
  exchanged: { kind: "later", attempts: 6, note: reason("changes_while_read") },
  storeAway: { kind: "later", attempts: Infinity, note: reason("store_away") },
  died: { kind: "later", attempts: 3, note: reason("parser_ended_for_now") },
  fault: { kind: "later", attempts: 3, note: reason("read_later") },
}

function getOutcome(error: unknown, closing: boolean): ErrorOutcome {
  if (closing || typeof error === "symbol") return { kind: "put-back" }
  if (error instanceof ParseFailure) {
    const { transientCause, outcome, reason } = error
    return transientCause ? { ...later[transientCause], reason } : { kind: "end", status: outcome, reason }
  }
  if (error instanceof ModelUnavailable)
    return { kind: "later", attempts: Infinity, note: error.reason, reason: error.reason }
  if (error instanceof ObjectStoreUnavailable || error instanceof ObjectStoreRefused)
    return { ...later.storeAway, reason: reason("store_away") }
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === "string" && diskFullCodes.has(code)) return { kind: "disk-full" }
  if (typeof code === "string" && gone.has(code)) {
    return { kind: "end", status: "failed", reason: reason("gone") }
  }
  if (code === "EACCES" || code === "EPERM") {
    return { kind: "end", status: "failed", reason: reason("not_allowed") }
  }
  const transientCause = getTransientCause(error)
  if (transientCause) return { ...later[transientCause], reason: reason("device_failed") }
  return { ...later.fault, reason: reason("box_failed") }
}

/** Returns the readers that the name suggests, for a file that ended its reader. */
async function guessReaders(job: Job): Promise<string> {
  const readers = await import("../../../parsers/readers.ts") // loaded with the first failure
  return readers.guessReaders(job.name, job)
}

/** Ends a job that failed or was cancelled. `readers` are those that failed, if known. */
export type SettleJob = (job: Job, error: unknown, readers?: string) => Promise<void>

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

  async function record(job: Job, outcome: ErrorOutcome, error: unknown, readers?: string): Promise<void> {
    switch (outcome.kind) {
      case "end":
        return queue.end(job, { ...outcome, readers: readers ?? (await guessReaders(job)) })
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
        await queue.end(job, { status: "failed", reason, readers: readers ?? (await guessReaders(job)) })
      }
    }
  }

  return async (job, error, readers) => {
    if (!works.isCurrent(job)) return
    const outcome = getOutcome(error, signal.aborted)
    try {
      await record(job, outcome, error, readers)
    } catch (cause) {
      logger.error({ err: cause, fileId: job.fileId }, "The state of a file couldn't be stored")
      rest()
    }
    changed([job.fileId])
    works.end(job)
    if (outcome.kind !== "end") wake() // a pause may have ended before the file was queued again
  }
}
