import type { AnyTransaction } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { takeArrivals } from "./arrivals.ts"
import type { AutomationContext } from "./context.ts"
import type { Runner } from "./runner.ts"
import { createSchedule, type Schedule } from "./schedule.ts"
import { answerStandingQuestion } from "./standing.ts"
import type { AutomationRow } from "./store.ts"

/** The parts of the service that triggers use. */
interface TriggerParts {
  runner: Runner
  /** Sends pending notifications of how runs ended. */
  notifyPending(): Promise<void>
}

/** Maximum difference between clock and timers, in milliseconds, before the clock is treated as put back. */
const driftMs = 2_000
/** Retry delay after a failed check, in milliseconds. */
const checkIntervalMs = 5_000

/** Watches times and folders, and starts the runs that they trigger. */
export class Triggers {
  readonly #deps: AutomationContext
  readonly #parts: TriggerParts
  readonly #schedule: Schedule
  readonly #lock = createKeyedLock()
  readonly #unsubscribe: () => void
  /** Ids of the watched folders. */
  #awaited = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** By how much the clock was ahead of the timers at the last check. */
  #ahead: number
  #closed = false

  constructor(deps: AutomationContext, parts: TriggerParts) {
    this.#deps = deps
    this.#parts = parts
    this.#schedule = createSchedule(deps)
    this.#ahead = deps.now() - performance.now()
    this.#unsubscribe = deps.bus.subscribe("files.changed", () => {
      if (this.#awaited.size > 0) void this.#takeArrived().catch(this.#failed)
    })
  }

  /** Sends pending notifications, resumes active runs, and starts the runs that are due. */
  async start(): Promise<void> {
    this.#awaited = new Set(await this.#deps.store.awaitedFolders())
    await this.#parts.notifyPending()
    await this.#parts.runner.start()
    await this.#schedule.clockChanged()
    await this.#takeArrived()
    await this.startDueRuns()
  }

  /** Starts the queued runs that can start. */
  pump(): void {
    void this.#parts.runner.pump().catch(this.#failed)
  }

  /** Checks scheduled times now and when the next one is due. */
  startDueRuns(): Promise<void> {
    return this.#lock.run("times", async () => {
      const deps = this.#deps
      if (this.#closed || deps.stopping.aborted) return
      let next = deps.now() + checkIntervalMs
      try {
        const wasAhead = this.#ahead
        this.#ahead = deps.now() - performance.now()
        if (this.#ahead < wasAhead - driftMs) await this.#schedule.clockChanged()
        next = await this.#schedule.startDueRuns()
      } catch (error) {
        this.#failed(error)
      }
      if (this.#closed) return
      this.pump() // also for runs that couldn't start before
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.startDueRuns(), Math.max(next - deps.now(), 0)).unref()
    })
  }

  /**
   * Writes a change after the files that have arrived so far have their runs. From then on, the changed automations' folders are watched.
   */
  async write(change: (transaction: AnyTransaction) => Promise<void>): Promise<void> {
    const { store, files } = this.#deps
    await this.#lock.run("arrivals", async () => {
      await this.#addArrived()
      this.#awaited = await store.transaction(async (transaction) => {
        await change(transaction)
        const folders = await store.awaitedFolders(transaction)
        await files.await(transaction, folders)
        return new Set(folders)
      })
    })
    void this.startDueRuns()
  }

  /** A standing question needs an initial answer to compare with. */
  startWatching(row: AutomationRow): void {
    if (row.watch === 1 && row.enabled === 1) void answerStandingQuestion(this.#deps, row).catch(this.#failed)
  }

  /** Stops watching times and folders. */
  stop(): void {
    this.#closed = true
    this.#unsubscribe()
    clearTimeout(this.#timer)
  }

  /** Waits until the runs for files that have arrived are written. */
  async waitForArrivals(): Promise<void> {
    await this.#lock.run("arrivals", async () => undefined).catch(() => undefined)
  }

  #takeArrived(): Promise<void> {
    return this.#lock.run("arrivals", async () => {
      if (await this.#addArrived()) this.pump()
    })
  }

  /** Adds runs for the files that have arrived so far. Returns whether there were any. Call it only while arrivals are locked. */
  async #addArrived(): Promise<boolean> {
    const { isAdded, isCircling } = await takeArrivals(this.#deps)
    if (isCircling) await this.#parts.notifyPending()
    return isAdded
  }

  readonly #failed = (error: unknown): void =>
    this.#deps.logger.error({ err: error }, "Checking automations failed")
}
