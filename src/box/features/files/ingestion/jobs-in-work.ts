import type { Job } from "./job.ts"

/** A job from its claim until it is stored or ended. */
export interface Work {
  job: Job
  stop: AbortController
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
