import type { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { ChildOptions, SpawnChild } from "../core/children/child.ts"
import { createProcessPool } from "../core/children/kept-processes.ts"
import { createSemaphore } from "../core/waiting/locks.ts"
import { EndedFromOutside, JobProcess } from "./job-process.ts"
import type { ToolContext } from "./tool.ts"

export interface JobRunnerOptions<Answer> {
  spawn: SpawnChild
  child(): ChildOptions
  /** Schema of an answer. A process that sends anything else is ended. */
  answer: z.ZodType<Answer>
  /** Timeouts for starting a process and for one job, in ms. */
  startMs: number
  jobMs: number
  /** Maximum concurrent jobs, in total and per user. Default per user: all. */
  places: number
  placesEach?: number
  /** Maximum waiting jobs, in total and per user. */
  maxWaiting: number
  maxWaitingEach: number
  /** `kept`: a process does one job after another. `fresh`: each job gets a new process. */
  processes: "kept" | "fresh"
  /** An idle process ends after this time, in ms. */
  idleMs: number
}

/** Runs jobs in separate processes. While there are jobs, one process is kept ready for the next job. */
export interface JobRunner<Job, Answer> extends AsyncDisposable {
  /**
   * Creates and runs a job when its turn comes, and retries once if something outside ended its process. Throws `ProcessEnded`,
   * `TookTooLong`, the signal's reason, or `unavailable` if the process was ended again or too many jobs wait.
   */
  run(makeJob: () => Job | Promise<Job>, asked: Pick<ToolContext, "userId" | "signal">): Promise<Answer>
}

export function createJobRunner<Job, Answer>(options: JobRunnerOptions<Answer>): JobRunner<Job, Answer> {
  const {
    spawn,
    child,
    answer,
    places,
    placesEach = Infinity,
    maxWaiting,
    maxWaitingEach,
    startMs,
    jobMs,
    idleMs,
  } = options
  const semaphore = createSemaphore({ places: () => places, placesEach, maxWaiting, maxWaitingEach })
  const closing = new AbortController()
  const kept = createProcessPool({
    start: () => new JobProcess<Job, Answer>(spawn, child(), answer, options.processes === "kept"),
    most: 1,
    idleMs,
    startsAhead: true,
  })

  async function attempt(job: Job, stop: AbortSignal): Promise<Answer> {
    const process = kept.take()
    try {
      await process.ready(startMs, stop)
      return await process.run(job, jobMs, stop)
    } finally {
      kept.release(process)
    }
  }

  return {
    async run(makeJob, { userId, signal }) {
      const stop = AbortSignal.any([signal, closing.signal])
      return semaphore.run(stop, userId, async () => {
        const job = await makeJob()
        return attempt(job, stop).catch((error: unknown) => {
          if (!(error instanceof EndedFromOutside)) throw error
          return attempt(job, stop)
        })
      })
    },

    async [Symbol.asyncDispose]() {
      closing.abort(new AppError("unavailable", sentence("core.shutting_down")))
      await kept[Symbol.asyncDispose]()
    },
  }
}
