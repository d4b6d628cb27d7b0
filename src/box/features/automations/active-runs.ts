import { AppError, type ErrorBody } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { maxTimerMs } from "../../core/waiting/abort-and-timeout.ts"
import type { KeyedLock } from "../../core/waiting/locks.ts"
import type { AutomationContext } from "./context.ts"
import type { Ended, EndEvent } from "./run-store.ts"
import type { RunRow } from "./store.ts"

/** The parts that all classes of the runner share. */
export interface SharedState {
  /** Changes of a run wait for each other, by run id. */
  lock: KeyedLock
  /** Whether the box or the runner is stopping: runs that end now were interrupted. */
  isEnding(): boolean
  /** Called after a run and its chat have ended. */
  ended(end: Ended): Promise<void>
}

const maxAttempts = 5

/** Follows started runs until they end, and limits their time. */
export class ActiveRuns implements Disposable {
  readonly #deps: AutomationContext
  readonly #shared: SharedState
  /** Timers of the active runs and their owners, by run id. */
  readonly #limits = new Map<string, { timer: NodeJS.Timeout; ownerId: string }>()
  /** Runs that were stopped because their time was used up. */
  readonly #overdue = new Set<string>()

  constructor(deps: AutomationContext, shared: SharedState) {
    this.#deps = deps
    this.#shared = shared
  }

  /** Number of runs whose time is limited; excludes those that wait for their owner. */
  get runningCount(): number {
    return this.#limits.size
  }

  /** The owners of these runs. */
  runningOwners(): string[] {
    return [...new Set([...this.#limits.values()].map(({ ownerId }) => ownerId))]
  }

  /** Stops the run when its time is used up. Time spent waiting for the owner is excluded. */
  limit({ id, ownerId }: RunRow, minutes: number): void {
    const { chats, logger } = this.#deps
    clearTimeout(this.#limits.get(id)?.timer)
    const timer = setTimeout(
      () => {
        this.#overdue.add(id)
        chats
          .stop(ownerId, id)
          .catch((error: unknown) => logger.error({ err: error, runId: id }, "Stopping a run failed"))
      },
      Math.min(minutes * 60_000, maxTimerMs),
    )
    this.#limits.set(id, { timer: timer.unref(), ownerId })
  }

  unlimit(id: string): void {
    clearTimeout(this.#limits.get(id)?.timer)
    this.#limits.delete(id)
  }

  async end(event: EndEvent, { id }: RunRow, why: ErrorBody | null): Promise<void> {
    this.unlimit(id)
    this.#overdue.delete(id)
    const done = await this.#deps.runs.end(event, id, why)
    if (!done) return
    this.#deps.changed(done.run.ownerId)
    await this.#shared.ended(done)
  }

  /** Updates a run from the state of its chat. */
  settle(run: RunRow): Promise<void> {
    return this.#shared.lock.run(run.id, async () => {
      if (this.#shared.isEnding()) return // the run continues or is repeated after the restart
      const { status, pendingApprovals } = await this.#deps.chats.status(run.ownerId, run.id)
      if (status === "active") return
      if (pendingApprovals > 0) {
        this.unlimit(run.id)
        if (await this.#deps.runs.applyTransition("parked", run.id)) this.#deps.changed(run.ownerId)
      } else if (this.#overdue.has(run.id)) await this.end("failed", run, await this.#timedOut(run))
      else if (status === "completed") await this.end("completed", run, null)
      else if (status === "error") await this.end("failed", run, answerFailed())
      else await this.end("cancelled", run, null) // the chat was stopped or deleted
    })
  }

  /** Continues the waiting run of a chat when no more decisions are pending. */
  async resume(ownerId: string, chatId: string): Promise<void> {
    const { store, runs, chats } = this.#deps
    const run = await runs.findByChat(ownerId, chatId)
    if (run?.status !== "waiting") return
    await this.#shared.lock.run(run.id, async () => {
      if ((await chats.status(ownerId, chatId)).pendingApprovals > 0) return
      if (!(await runs.applyTransition("resumed", run.id))) return
      this.limit(run, (await store.find(run.automationId))?.minutes ?? 1)
      this.#deps.changed(ownerId)
    })
  }

  /** Handles a run that was active when the box stopped: it continues, has ended in the meantime, or is repeated. */
  async restore(run: RunRow): Promise<void> {
    const { store, runs, chats } = this.#deps
    const { status, pendingApprovals } =
      run.chatId === null
        ? { status: "error", pendingApprovals: 0 }
        : await chats.status(run.ownerId, run.chatId)
    if (status === "active") return this.limit(run, (await store.find(run.automationId))?.minutes ?? 1)
    if (pendingApprovals > 0 || status === "completed" || status === "not_found") return this.settle(run)
    if (run.attempt >= maxAttempts) return this.end("failed", run, cutTooOften())
    await runs.applyTransition("cut", run.id, { attempt: run.attempt + 1 })
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#limits.values()) clearTimeout(timer)
  }

  async #timedOut({ automationId }: RunRow): Promise<ErrorBody> {
    const minutes = (await this.#deps.store.find(automationId))?.minutes ?? 0
    return new AppError("unavailable", sentence("automations.took_too_long", { minutes })).toBody()
  }
}

const answerFailed = (): ErrorBody =>
  new AppError("unavailable", sentence("automations.answer_failed")).toBody()
const cutTooOften = (): ErrorBody =>
  new AppError("unavailable", sentence("automations.cut_too_often", { count: maxAttempts })).toBody()
