import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { isFromOutside, type ChildOptions, type SpawnChild } from "../core/children/child.ts"
import { createProcessPool, startChild, type OwnedChild } from "../core/children/start-child.ts"
import { withTimeout } from "../core/waiting/abort-and-timeout.ts"
import { createSemaphore } from "../core/waiting/locks.ts"
import type { ToolContext } from "./tool.ts"

/** Messages from a job's process: first `ready`, then one answer for each job. */
export type JobMessage<Answer> = { type: "ready" } | { type: "answer"; answer: Answer }

const jobMessage = <Answer>(answer: z.ZodType<Answer>) =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("ready") }),
    z.object({ type: z.literal("answer"), answer }),
  ])

/** A process that does one job at a time. The caller must wait for each answer before it sends the next job. */
class JobProcess<Job, Answer> implements AsyncDisposable {
  readonly #child: OwnedChild
  readonly #ready = Promise.withResolvers<void>()
  #answer: PromiseWithResolvers<Answer> | undefined
  readonly #isReusable: boolean
  #hadJob = false

  constructor(spawn: SpawnChild, options: ChildOptions, answer: z.ZodType<Answer>, isReusable: boolean) {
    this.#isReusable = isReusable
    this.#ready.promise.catch(() => undefined) // reported to the caller of `ready` or `run`
    this.#child = startChild(spawn, {
      ...options,
      replies: jobMessage(answer),
      onReply: (reply) => {
        if (reply.type === "ready") this.#ready.resolve()
        else this.#answer?.resolve(reply.answer)
      },
      onExit: (reason) => {
        const gone = isFromOutside(reason) ? new EndedFromOutside() : new ProcessEnded()
        this.#ready.reject(gone)
        this.#answer?.reject(gone)
      },
    })
  }

  get isUsable(): boolean {
    return this.#child.isAlive && (this.#isReusable || !this.#hadJob)
  }

  /** Settles when the process is ready for its first job. Throws `unavailable` if that takes longer than the limit. */
  async ready(limitMs: number, signal: AbortSignal): Promise<void> {
    const late = new AppError("unavailable", sentence("tools.not_started"))
    await this.#waitFor(this.#ready.promise, limitMs, late, signal)
  }

  /** Does one job. On any error the process has ended: `ProcessEnded`, `EndedFromOutside`, `TookTooLong` or the signal's reason. */
  async run(job: Job, limitMs: number, signal: AbortSignal): Promise<Answer> {
    this.#hadJob = true
    this.#answer = Promise.withResolvers<Answer>()
    this.#child.send(job)
    return this.#waitFor(this.#answer.promise, limitMs, new TookTooLong(), signal)
  }

  kill(): void {
    this.#child.kill()
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#child[Symbol.asyncDispose]()
  }

  async #waitFor<T>(work: Promise<T>, limitMs: number, late: Error, signal: AbortSignal): Promise<T> {
    try {
      return await withTimeout(limitMs, work, () => late, signal)
    } catch (error) {
      this.kill()
      throw error
    }
  }
}

/** The process has ended: it crashed, or exceeded its memory limit. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded"
}

/** The system (when short of memory) or a person ended the process. This says nothing about the job. */
class EndedFromOutside extends AppError {
  constructor() {
    super("unavailable", sentence("tools.ended_from_outside"))
  }
}

export class TookTooLong extends Error {
  override readonly name = "TookTooLong"
}

export interface JobRunnerOptions<Answer> {
  spawn: SpawnChild
  child(): ChildOptions
  /** Schema of an answer. A process that sends anything else is ended. */
  answer: z.ZodType<Answer>
  /** Timeouts for starting a process and for one job, in ms. */
  startMs: number
  jobMs: number
  /** Maximum concurrent jobs, in total and per user. Default per user: all. */
  slots: number
  slotsEach?: number
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
    slots,
    slotsEach = Infinity,
    maxWaiting,
    maxWaitingEach,
    startMs,
    jobMs,
    idleMs,
  } = options
  const semaphore = createSemaphore({ slots: () => slots, slotsEach, maxWaiting, maxWaitingEach })
  const closing = new AbortController()
  const kept = createProcessPool({
    start: () => new JobProcess<Job, Answer>(spawn, child(), answer, options.processes === "kept"),
    max: 1,
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
