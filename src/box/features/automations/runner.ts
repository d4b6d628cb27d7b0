import type { Cause } from "../../../shared/contract/automations.ts"
import type { ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { timestamp } from "../../core/ids.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { toAppError } from "../../http/error-response.ts"
import { ActiveRuns, type SharedState } from "./active-runs.ts"
import type { AutomationContext } from "./context.ts"
import { RevokedKeys, starterRevoked } from "./revoked-keys.ts"
import { answerStandingQuestion } from "./standing.ts"
import {
  getCaller,
  callerOfRun,
  getCause,
  getStartingKey,
  getVectorIds,
  type AutomationRow,
  type RunRow,
} from "./store.ts"

/** Values for filling in a run's prompt. */
interface Filling {
  cause: Cause
  /** The file that triggered the run. */
  file: { id: string; name: string; isOwn: boolean } | null
  /** The text posted to the webhook. */
  input: string | null
  now: number
}

/** Text of an answer that has nothing to report. */
const nothing = "NOTHING TO TELL"

/** Returns the prompt with its values filled in, and the texts in it that others wrote: file names and posted text. */
function fillPrompt(
  prompt: string,
  { cause, file, input, now }: Filling,
  notifiesResultsOnly: boolean,
): { content: string; quoted: string[] } {
  const at = cause.kind === "schedule" ? cause.at : new Date(now).toISOString()
  const values: Record<string, string> = {
    "file.name": file?.name ?? "",
    "file.id": file?.id ?? "",
    date: at.slice(0, 10),
    input: input ?? "",
  }
  const content = prompt.replace(
    /\{\{\s*(file\.name|file\.id|date|input)\s*\}\}/g,
    (_all, name: string) => values[name] ?? "",
  )
  const quoted = [values["file.name"] ?? "", values["input"] ?? ""].filter(
    (text) => text !== "" && content.includes(text),
  )
  const instructions = notifiesResultsOnly
    ? `${content}\n\nIf there is nothing to tell, answer only: ${nothing}`
    : content
  return { content: instructions, quoted }
}

export const isEmptyResult = (answer: string): boolean => {
  const trimmed = answer.trim()
  return (
    trimmed === "" ||
    trimmed
      .replace(/[^\p{L} ]/gu, "")
      .trim()
      .toUpperCase() === nothing
  )
}

/** Starts runs in order and follows them until they end. */
export interface Runner extends AsyncDisposable {
  /** Starts all runs that can start; settles when they have started. */
  pump(): Promise<void>
  /** Resumes runs that were active when the box stopped, then starts all that can start. */
  start(): Promise<void>
  cancel(run: RunRow): Promise<RunRow | undefined>
}

/** Maximum number of active runs of all users together. Beyond it, only users without an active run can start one. */
const maxRunning = 8
/** Maximum time, in milliseconds, that a run waits for an available model. */
const maxWaitForModelMs = 10 * 60_000

/** The run was cancelled while it was starting. */
class RunCancelled extends Error {}

/** @param ended called after a run and its chat have ended */
export const createRunner = (deps: AutomationContext, ended: SharedState["ended"]): Runner =>
  new AutomationRunner(deps, ended)

class AutomationRunner implements Runner {
  readonly #deps: AutomationContext
  readonly #lock = createKeyedLock()
  readonly #activeRuns: ActiveRuns
  readonly #revokedKeys: RevokedKeys
  readonly #unsubscribe: (() => void)[]
  #closed = false

  constructor(deps: AutomationContext, ended: SharedState["ended"]) {
    const shared = { lock: this.#lock, isEnding: () => this.#isEnding(), ended }
    this.#deps = deps
    this.#activeRuns = new ActiveRuns(deps, shared)
    this.#revokedKeys = new RevokedKeys(deps, {
      ...shared,
      activeRuns: this.#activeRuns,
      pump: () => this.pump(),
      failed: this.#failed,
    })
    this.#unsubscribe = [
      deps.bus.subscribe(
        "answer.ended",
        ({ ownerId, chatId }) => void this.#follow(ownerId, chatId).catch(this.#failed),
      ),
      deps.bus.subscribe(
        "approval.decided",
        ({ ownerId, chatId }) => void this.#activeRuns.resume(ownerId, chatId).catch(this.#failed),
      ),
    ]
  }

  pump(): Promise<void> {
    return this.#lock.run("pump", async () => {
      await this.#revokedKeys.watch()
      for (let hasStarted = true; hasStarted;) hasStarted = await this.#startAll()
    })
  }

  async start(): Promise<void> {
    await this.#revokedKeys.watch()
    for (const run of await this.#deps.runs.active()) await this.#activeRuns.restore(run).catch(this.#failed)
    await this.pump()
  }

  async cancel(run: RunRow): Promise<RunRow | undefined> {
    const { store, runs, chats } = this.#deps
    const { ownerId, chatId } = run
    const automation = await store.find(run.automationId)
    if (run.status === "running" && chatId !== null) {
      await chats.stop(ownerId, chatId)
      await this.#activeRuns.settle(run)
    } else await this.#activeRuns.end("cancelled", run, null)
    // The run's pending calls no longer need a decision.
    if (run.status === "waiting" && chatId !== null && automation) {
      await chats.deny(callerOfRun(automation, run), chatId)
      await chats.stop(ownerId, chatId)
    }
    const cancelled = await runs.find(run.id)
    // The run may have started since it was read.
    if (chatId === null && cancelled && cancelled.chatId !== null) await chats.stop(ownerId, cancelled.chatId)
    void this.pump().catch(this.#failed)
    return cancelled
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#revokedKeys[Symbol.dispose]()
    this.#activeRuns[Symbol.dispose]()
    await this.#lock.run("pump", async () => undefined).catch(() => undefined)
  }

  #isEnding(): boolean {
    return this.#closed || this.#deps.stopping.aborted
  }

  readonly #failed = (error: unknown): void =>
    this.#deps.logger.error({ err: error }, "Checking automation runs failed")

  async #follow(ownerId: string, chatId: string): Promise<void> {
    const run = await this.#deps.runs.findByChat(ownerId, chatId)
    if (run) await this.#activeRuns.settle(run)
    await this.pump()
  }

  /**
   * Tries to start the next run of each automation without an active one, up to the limit. A run that can't start now doesn't block the
   * others.
   */
  async #startAll(): Promise<boolean> {
    let hasStarted = false
    for (let after = ""; !this.#isEnding();) {
      const next = await this.#deps.runs.next(after, maxRunning, this.#getOwnersWithoutRoom())
      for (const run of next)
        if (!this.#getOwnersWithoutRoom().includes(run.ownerId) && (await this.#begin(run))) hasStarted = true
      const last = next.at(-1)
      if (!last) break
      after = last.id
    }
    return hasStarted
  }

  /** Returns the users whose runs can't start now. The runs of one user don't keep those of all others waiting. */
  #getOwnersWithoutRoom(): string[] {
    return this.#activeRuns.runningCount < maxRunning ? [] : this.#activeRuns.runningOwners()
  }

  /** Returns whether the run was started or ended, so that more may be able to start. */
  async #begin(run: RunRow): Promise<boolean> {
    const deps = this.#deps
    const automation = await deps.store.find(run.automationId)
    if (!automation || (await deps.disabledIds()).includes(run.ownerId)) return false
    const keyId = getStartingKey(run)
    if (keyId !== null && (await deps.isRevoked(keyId))) {
      await this.#activeRuns.end("cancelled", run, starterRevoked())
      return true
    }
    try {
      await this.#requireMaker(automation)
      if (automation.watch === 1) await this.#runStandingQuestion(automation, run)
      else await this.#ask(automation, run)
      return true
    } catch (error) {
      return this.#endUnlessRetried(run, error)
    }
  }

  /** Handles a run that couldn't start. Returns whether it ended; if it didn't, a later pump tries it again. */
  async #endUnlessRetried(run: RunRow, error: unknown): Promise<boolean> {
    this.#activeRuns.unlimit(run.id)
    if (error instanceof RunCancelled) return true
    if (this.#isEnding()) return false
    const problem = toAppError(error, this.#deps.logger).toBody()
    const { code } = problem
    if (code === "chat_busy" || code === "rate_limited" || code === "unavailable") return false
    const waitedMs = Date.now() - Date.parse(run.createdAt)
    if (code === "no_model" && waitedMs >= 0 && waitedMs < maxWaitForModelMs) return false
    // The quota frees up tomorrow, or when someone raises it, so the automation isn't at fault.
    await this.#activeRuns.end(code === "quota_exceeded" ? "skipped" : "failed", run, problem)
    return true
  }

  /** Throws `unauthorized` if the automation's own key was revoked. */
  async #requireMaker(automation: AutomationRow): Promise<void> {
    const { via, credentialId } = getCaller(automation)
    if (via === "key" && (await this.#deps.isRevoked(credentialId)))
      throw new AppError("unauthorized", sentence("automations.maker_revoked"))
  }

  async #ask(automation: AutomationRow, run: RunRow): Promise<void> {
    const cause = getCause(run)
    const file = await this.#findFile(run, cause)
    const { content, quoted } = fillPrompt(
      automation.prompt,
      { cause, file, input: run.input, now: Date.now() },
      automation.notify === "result",
    )
    const vectorIds = getVectorIds(automation)
    const request: ChatRequest = {
      id: run.id,
      messages: [{ role: "user", content }],
      boxAddress: this.#deps.boxAddress(),
      assistantId: automation.assistantId,
      modelId: automation.modelId,
      ...(vectorIds.length > 0 && { vector: vectorIds }),
      ...(file && { fileIds: [file.id] }),
      reading: automation.reading,
    }
    await this.#deps.chats.ask(callerOfRun(automation, run), request, {
      deniesCalls: false,
      isDryRun: cause.kind === "manual" && cause.dryRun === true,
      quoted,
      also: async (transaction) => {
        const started = { chatId: run.id, startedAt: timestamp() }
        if (!(await this.#deps.runs.applyTransition("started", run.id, started, transaction)))
          throw new RunCancelled()
        if (file?.isOwn) await this.#deps.noteRead(transaction, { fileId: file.id, runId: run.id })
        this.#activeRuns.limit(run, automation.minutes)
      },
    })
    this.#deps.changed(run.ownerId)
  }

  /** Returns the file that a run is about, if any. Throws `not_found` if the owner may no longer read it. */
  async #findFile({ ownerId }: RunRow, cause: Cause): Promise<Filling["file"]> {
    const fileId = cause.kind === "file" || cause.kind === "manual" ? cause.fileId : undefined
    if (fileId === undefined) return null
    const file = await this.#deps.file(ownerId, fileId)
    if (file === null) throw new AppError("not_found", sentence("automations.file_gone"))
    return file
  }

  /** Runs without a chat: it only looks up passages and sends its own notification. */
  async #runStandingQuestion(automation: AutomationRow, run: RunRow): Promise<void> {
    const started = { startedAt: timestamp() }
    if (!(await this.#deps.runs.applyTransition("started", run.id, started))) throw new RunCancelled()
    await answerStandingQuestion(this.#deps, automation)
    await this.#activeRuns.end("completed", run, null)
  }
}
