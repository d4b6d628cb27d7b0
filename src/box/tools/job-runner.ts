import type { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { ChildOptions, SpawnChild } from "../core/children/child.ts"
import { keepProcesses } from "../core/children/kept-processes.ts"
import { createSemaphore } from "../core/waiting/semaphore.ts"
import { EndedFromOutside, JobProcess } from "./job-process.ts"
import type { ToolContext } from "./tool.ts"

export interface JobRunnerOptions<Answer> {
  spawn: SpawnChild
  child(): ChildOptions
  /** What an answer looks like. A process that says anything else is ended. */
  answer: z.ZodType<Answer>
  /** Time for starting a process and for one job, in ms. */
  startMs: number
  jobMs: number
  /** Jobs at the same time, in all and of one user, who may have all of them unless told. */
  places: number
  placesEach?: number
  /** Jobs that may wait, in all and of one user. */
  maxWaiting: number
  maxWaitingEach: number
  /** `kept`: a process takes one job after another. `fresh`: each job has one that nobody used before. */
  processes: "kept" | "fresh"
  /** A process that has had nothing to do for so long ends, in ms. */
  idleMs: number
}

/** Does jobs in processes of their own, one of which waits ready for the next job while there are some. */
export interface JobRunner<Job, Answer> extends AsyncDisposable {
  /**
   * Makes a job once its turn has come and does it, once more when somebody else ended its process. Throws `ProcessEnded`,
   * `TookTooLong`, `unavailable` when that happened again or too many wait, or the signal's reason.
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
  const kept = keepProcesses({
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
      kept.giveBack(process)
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
