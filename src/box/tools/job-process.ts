import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { isFromOutside, type ChildOptions, type SpawnChild } from "../core/children/child.ts"
import { startChild, type OwnedChild } from "../core/children/start-child.ts"
import { withTimeout } from "../core/waiting/abort-and-timeout.ts"

/** Messages from a job's process: first `ready`, then one answer for each job. */
export type JobMessage<Answer> = { type: "ready" } | { type: "answer"; answer: Answer }

const jobMessage = <Answer>(answer: z.ZodType<Answer>) =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("ready") }),
    z.object({ type: z.literal("answer"), answer }),
  ])

/** A process that does one job at a time. The caller must wait for each answer before it sends the next job. */
export class JobProcess<Job, Answer> implements AsyncDisposable {
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
export class EndedFromOutside extends AppError {
  constructor() {
    super("unavailable", sentence("tools.ended_from_outside"))
  }
}

export class TookTooLong extends Error {
  override readonly name = "TookTooLong"
}
