import { AppError, type ErrorBody } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ActiveRuns, SharedState } from "./active-runs.ts"
import type { AutomationContext } from "./context.ts"
import { callerOfRun, getStartingKey, type RunRow } from "./store.ts"

interface RunnerParts extends SharedState {
  activeRuns: ActiveRuns
  /** Starts all runs that can start. */
  pump(): Promise<void>
  failed(error: unknown): void
}

/** Cancels the runs that revoked keys started. */
export class RevokedKeys implements Disposable {
  readonly #deps: AutomationContext
  readonly #runner: RunnerParts
  /** The keys that started unfinished runs. Each is watched until it is revoked. */
  readonly #watched = new Map<string, Disposable>()

  constructor(deps: AutomationContext, runner: RunnerParts) {
    this.#deps = deps
    this.#runner = runner
  }

  /** Cancels runs of revoked keys, now and when a key is revoked later. */
  async watch(): Promise<void> {
    const deps = this.#deps
    const keyIds = new Set((await deps.runs.listStartedByKeys()).flatMap((run) => getStartingKey(run) ?? []))
    for (const keyId of this.#watched.keys()) if (!keyIds.has(keyId)) this.#unwatch(keyId)
    for (const keyId of keyIds) {
      if (this.#watched.has(keyId) || this.#runner.isEnding()) continue
      const onEnd = () =>
        void this.#cancelRunsOf(keyId)
          .then(() => this.#runner.pump())
          .catch((error: unknown) => this.#runner.failed(error))
      this.#watched.set(keyId, deps.whileValid(keyId, onEnd))
      await this.#cancelRunsOf(keyId)
    }
  }

  [Symbol.dispose](): void {
    for (const keyId of this.#watched.keys()) this.#unwatch(keyId)
  }

  #unwatch(keyId: string): void {
    this.#watched.get(keyId)?.[Symbol.dispose]()
    this.#watched.delete(keyId)
  }

  /** Cancels the runs that a key started if it has been revoked. The next pump retries runs that can't be cancelled now. */
  async #cancelRunsOf(keyId: string): Promise<void> {
    const deps = this.#deps
    if (!(await deps.isRevoked(keyId))) return
    this.#unwatch(keyId)
    for (const run of await deps.runs.listStartedByKeys())
      if (getStartingKey(run) === keyId)
        await this.#cancel(run.id).catch((error: unknown) => this.#runner.failed(error))
  }

  /** Cancels a run whose key was revoked. Runs of disabled users wait instead, because their keys may work again. */
  #cancel(id: string): Promise<void> {
    const deps = this.#deps
    return this.#runner.lock.run(id, async () => {
      const run = await deps.runs.find(id)
      if (!run || run.endedAt !== null || this.#runner.isEnding()) return
      if ((await deps.disabledIds()).includes(run.ownerId)) return
      await this.#silence(run)
      await this.#runner.activeRuns.end("cancelled", run, starterRevoked())
      const cancelled = await deps.runs.find(id)
      if (run.status === "queued" && cancelled) await this.#silence(cancelled) // it may have started since it was read
    })
  }

  /** Stops the answer of a run and denies the calls that wait for approval in its chat. */
  async #silence(run: RunRow): Promise<void> {
    const { store, chats } = this.#deps
    const { ownerId, chatId } = run
    const automation = await store.find(run.automationId)
    if (chatId === null || !automation) return
    await chats.stop(ownerId, chatId)
    await chats.deny(callerOfRun(automation, run), chatId)
    await chats.stop(ownerId, chatId)
  }
}

export const starterRevoked = (): ErrorBody =>
  new AppError("unauthorized", sentence("automations.starter_revoked")).toBody()
