import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { isFromOutside, type Child } from "../core/children/child.ts"
import { withTimeout } from "../core/waiting/time-limit.ts"

/** What a job's process says: first that it is ready, then one answer for each job. */
export type JobMessage<Answer> = { type: "ready" } | { type: "answer"; answer: Answer }

const jobMessage = <Answer>(answer: z.ZodType<Answer>) =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("ready") }),
    z.object({ type: z.literal("answer"), answer }),
  ])

/** A process that does one job at a time. Whoever gives it a job waits for the answer before the next one. */
export class JobProcess<Job, Answer> implements AsyncDisposable {
  readonly #child: Child
  readonly #ready = Promise.withResolvers<void>()
  #answer: PromiseWithResolvers<Answer> | undefined
  #isAlive = true

  constructor(child: Child, answer: z.ZodType<Answer>) {
    this.#child = child
    this.#ready.promise.catch(() => undefined) // told to whoever gives it a job
    child.onMessage(jobMessage(answer), (said) => {
      if (said.type === "ready") this.#ready.resolve()
      else this.#answer?.resolve(said.answer)
    })
    child.onExit((reason) => {
      this.#isAlive = false
      const gone = isFromOutside(reason) ? new EndedFromOutside() : new ProcessEnded()
      this.#ready.reject(gone)
      this.#answer?.reject(gone)
    })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Settles when it takes its first job, however long the machine needs for that; throws `unavailable` past the limit. */
  async ready(limitMs: number, signal: AbortSignal): Promise<void> {
    const late = new AppError("unavailable", sentence("tools.not_started"))
    await this.#waitFor(this.#ready.promise, limitMs, late, signal)
  }

  /** Does one job. Whatever it throws, the process has ended: `ProcessEnded`, `EndedFromOutside`, `TookTooLong` or the signal's reason. */
  async run(job: Job, limitMs: number, signal: AbortSignal): Promise<Answer> {
    this.#answer = Promise.withResolvers<Answer>()
    this.#child.send(job)
    return this.#waitFor(this.#answer.promise, limitMs, new TookTooLong(), signal)
  }

  kill(): void {
    this.#isAlive = false
    this.#child.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
    await this.#child.exited
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

/** The process is gone: it crashed, or used more memory than it may. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded"
}

/** Somebody else ended the process: the system, short of memory, or a person. Nothing is said about the job. */
export class EndedFromOutside extends AppError {
  constructor() {
    super(
      "unavailable",
      "This tool was ended from outside. The computer may be short of memory: try again in a while.",
    )
  }
}

export class TookTooLong extends Error {
  override readonly name = "TookTooLong"
}
