import type { Cause } from "../../../shared/contract/automations.ts"
import type { ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError, type ErrorBody } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, AnyTransaction } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { maxTimerMs } from "../../core/waiting/abort-and-timeout.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { Caller } from "../../http/caller.ts"
import { toAppError } from "../../http/error-response.ts"
import type { Ended, RunStore } from "./run-store.ts"
import {
  getCaller,
  callerOfRun,
  getCause,
  getStartingKey,
  getVectorIds,
  type AutomationRow,
  type RunRow,
  type AutomationStore,
} from "./store.ts"

/** Values for filling in a run's prompt. */
interface Filling {
  cause: Cause
  /** The file that triggered the run. */
  file: { id: string; name: string } | null
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
  const told = notifiesResultsOnly
    ? `${content}\n\nIf there is nothing to tell, answer only: ${nothing}`
    : content
  return { content: told, quoted }
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

/** The chat functions that a run needs. */
export interface RunChats {
  ask(
    caller: Caller,
    request: ChatRequest,
    how: { also: AlsoWrite; deniesCalls: boolean; isDryRun: boolean; quoted: readonly string[] },
  ): Promise<unknown>
  stop(ownerId: string, chatId: string): Promise<unknown>
  /** Denies all calls that wait for approval in a chat. */
  deny(caller: Caller, chatId: string): Promise<void>
  status(ownerId: string, chatId: string): Promise<{ status: string; pendingApprovals: number }>
}

export interface RunnerDeps {
  store: AutomationStore
  runs: RunStore
  chats: RunChats
  bus: EventBus
  logger: Logger
  /** Aborted when the box is stopping: runs that end now were interrupted. */
  stopping: AbortSignal
  /** Returns a file that the owner may read; null if there is none. */
  file(ownerId: string, fileId: string): Promise<{ id: string; name: string } | null>
  /** Records in a file's history that a run reads it. */
  noteRead(transaction: AnyTransaction, read: { fileId: string; runId: string }): Promise<void>
  /** Answers a standing question. Throws the reason if that isn't possible. */
  answerStandingQuestion(automation: AutomationRow): Promise<void>
  isRevoked(keyId: string): Promise<boolean>
  /** Calls `onEnd` when a credential ends, until disposed; immediately if it has already ended. */
  whileValid(credentialId: string, onEnd: () => void): Disposable
  /** Returns the ids of users who may not use the box. */
  disabledIds(): Promise<readonly string[]>
  boxAddress(): string
  /** Notifies that the owner's automations have changed. */
  changed(ownerId: string): void
  /** Called after a run and its chat have ended. */
  ended(end: Ended): Promise<void>
}

/** Starts runs in order and follows them until they end. */
export interface Runner extends AsyncDisposable {
  /** Starts all runs that can start; settles when they have started. */
  pump(): Promise<void>
  /** Resumes runs that were active when the box stopped, then starts all that can start. */
  start(): Promise<void>
  cancel(run: RunRow): Promise<RunRow | undefined>
}

/** Maximum number of active runs of all users together. */
const maxRunning = 8
/** Maximum time, in milliseconds, that a run waits for an available model. */
const maxWaitForModelMs = 10 * 60_000
const maxAttempts = 5

/** The run was cancelled while it was starting. */
class RunCancelled extends Error {}

export function createRunner(deps: RunnerDeps): Runner {
  const { store, runs, chats, bus, logger, stopping } = deps
  const lock = createKeyedLock()
  /** Timers of the active runs, by run id. */
  const limits = new Map<string, NodeJS.Timeout>()
  /** Runs that were stopped because their time was used up. */
  const overdue = new Set<string>()
  /** The keys that started unfinished runs. Each is watched until it is revoked. */
  const watchedKeys = new Map<string, Disposable>()
  let closed = false
  const isEnding = () => closed || stopping.aborted

  const pump = (): Promise<void> =>
    lock.run("pump", async () => {
      await watchKeys()
      for (let hasStarted = true; hasStarted;) hasStarted = await startAll()
    })

  /** Cancels runs of revoked keys, now and when a key is revoked later. */
  async function watchKeys(): Promise<void> {
    const keyIds = new Set((await runs.listStartedByKeys()).flatMap((run) => getStartingKey(run) ?? []))
    for (const keyId of watchedKeys.keys()) if (!keyIds.has(keyId)) unwatchKey(keyId)
    for (const keyId of keyIds) {
      if (watchedKeys.has(keyId) || isEnding()) continue
      const onEnd = () => void cancelRunsOf(keyId).then(pump).catch(failed)
      watchedKeys.set(keyId, deps.whileValid(keyId, onEnd))
      await cancelRunsOf(keyId)
    }
  }

  function unwatchKey(keyId: string): void {
    watchedKeys.get(keyId)?.[Symbol.dispose]()
    watchedKeys.delete(keyId)
  }

  /** Cancels the runs that a key started if it has been revoked. The next pump retries runs that can't be cancelled now. */
  async function cancelRunsOf(keyId: string): Promise<void> {
    if (!(await deps.isRevoked(keyId))) return
    unwatchKey(keyId)
    for (const run of await runs.listStartedByKeys())
      if (getStartingKey(run) === keyId) await cancelRevoked(run.id).catch(failed)
  }

  /** Cancels a run whose key was revoked. Runs of disabled users wait instead, because their keys may work again. */
  const cancelRevoked = (id: string): Promise<void> =>
    lock.run(id, async () => {
      const run = await runs.find(id)
      if (!run || run.endedAt !== null || isEnding() || (await deps.disabledIds()).includes(run.ownerId))
        return
      await silence(run)
      await end("cancelled", run, starterRevoked())
      const cancelled = await runs.find(id)
      if (run.status === "queued" && cancelled) await silence(cancelled) // it may have started since it was read
    })

  /** Stops the answer of a run and denies the calls that wait for approval in its chat. */
  async function silence(run: RunRow): Promise<void> {
    const { ownerId, chatId } = run
    const automation = await store.find(run.automationId)
    if (chatId === null || !automation) return
    await chats.stop(ownerId, chatId)
    await chats.deny(callerOfRun(automation, run), chatId)
    await chats.stop(ownerId, chatId)
  }

  /**
   * Tries to start the next run of each automation without an active one, up to the limit. A run that can't start now doesn't block the
   * others.
   */
  async function startAll(): Promise<boolean> {
    let hasStarted = false
    for (let after = ""; !isEnding();) {
      const room = maxRunning - limits.size
      const next = room > 0 ? await runs.next(after, room) : []
      for (const run of next) if (await begin(run)) hasStarted = true
      const last = next.at(-1)
      if (!last) break
      after = last.id
    }
    return hasStarted
  }

  /** Returns whether the run was started or ended, so that more may be able to start. */
  async function begin(run: RunRow): Promise<boolean> {
    const automation = await store.find(run.automationId)
    if (!automation || (await deps.disabledIds()).includes(run.ownerId)) return false
    const keyId = getStartingKey(run)
    if (keyId !== null && (await deps.isRevoked(keyId))) {
      await end("cancelled", run, starterRevoked())
      return true
    }
    try {
      await requireMaker(automation)
      if (automation.watch === 1) await runStandingQuestion(automation, run)
      else await ask(automation, run)
      return true
    } catch (error) {
      unlimit(run.id)
      if (error instanceof RunCancelled) return true
      if (isEnding()) return false
      const problem = toAppError(error, logger).toBody()
      const { code } = problem
      if (code === "chat_busy" || code === "rate_limited" || code === "unavailable") return false
      const waitedMs = Date.now() - Date.parse(run.createdAt)
      if (code === "no_model" && waitedMs >= 0 && waitedMs < maxWaitForModelMs) return false
      // The quota frees up tomorrow, or when someone raises it, so the automation isn't at fault.
      await end(code === "quota_exceeded" ? "skipped" : "failed", run, problem)
      return true
    }
  }

  /** Throws `unauthorized` if the automation's own key was revoked. */
  async function requireMaker(automation: AutomationRow): Promise<void> {
    const { via, credentialId } = getCaller(automation)
    if (via === "key" && (await deps.isRevoked(credentialId)))
      throw new AppError("unauthorized", sentence("automations.maker_revoked"))
  }

  async function ask(automation: AutomationRow, run: RunRow): Promise<void> {
    const caller = callerOfRun(automation, run)
    const cause = getCause(run)
    const fileId = cause.kind === "file" || cause.kind === "manual" ? cause.fileId : undefined
    const file = fileId === undefined ? null : await deps.file(run.ownerId, fileId)
    if (fileId !== undefined && file === null)
      throw new AppError("not_found", sentence("automations.file_gone"))
    const { content, quoted } = fillPrompt(
      automation.prompt,
      { cause, file, input: run.input, now: Date.now() },
      automation.notify === "result",
    )
    const vectorIds = getVectorIds(automation)
    const request: ChatRequest = {
      id: run.id,
      messages: [{ role: "user", content }],
      boxAddress: deps.boxAddress(),
      assistantId: automation.assistantId,
      modelId: automation.modelId,
      ...(vectorIds.length > 0 && { vector: vectorIds }),
      ...(file && { fileIds: [file.id] }),
      reading: automation.reading,
    }
    await chats.ask(caller, request, {
      deniesCalls: false,
      isDryRun: cause.kind === "manual" && cause.dryRun === true,
      quoted,
      async also(transaction) {
        const begun = { chatId: run.id, startedAt: timestamp() }
        if (!(await runs.applyTransition("begun", run.id, begun, transaction))) throw new RunCancelled()
        if (file) await deps.noteRead(transaction, { fileId: file.id, runId: run.id })
        limit(run, automation.minutes)
      },
    })
    deps.changed(run.ownerId)
  }

  /** Runs without a chat: it only looks up passages and sends its own notification. */
  async function runStandingQuestion(automation: AutomationRow, run: RunRow): Promise<void> {
    if (!(await runs.applyTransition("begun", run.id, { startedAt: timestamp() }))) throw new RunCancelled()
    await deps.answerStandingQuestion(automation)
    await end("completed", run, null)
  }

  /** Stops the run when its time is used up. Time spent waiting for the owner is excluded. */
  function limit({ id, ownerId }: RunRow, minutes: number): void {
    clearTimeout(limits.get(id))
    const timer = setTimeout(
      () => {
        overdue.add(id)
        chats
          .stop(ownerId, id)
          .catch((error: unknown) => logger.error({ err: error, runId: id }, "Stopping a run failed"))
      },
      Math.min(minutes * 60_000, maxTimerMs),
    )
    limits.set(id, timer.unref())
  }

  function unlimit(id: string): void {
    clearTimeout(limits.get(id))
    limits.delete(id)
  }

  async function end(
    event: "completed" | "failed" | "skipped" | "cancelled",
    { id }: RunRow,
    why: ErrorBody | null,
  ): Promise<void> {
    unlimit(id)
    overdue.delete(id)
    const done = await runs.end(event, id, why)
    if (!done) return
    deps.changed(done.run.ownerId)
    await deps.ended(done)
  }

  /** Updates a run from the state of its chat. */
  const settle = (run: RunRow): Promise<void> =>
    lock.run(run.id, async () => {
      if (isEnding()) return // the run continues or is repeated after the restart
      const { status, pendingApprovals } = await chats.status(run.ownerId, run.id)
      if (status === "active") return
      if (pendingApprovals > 0) {
        unlimit(run.id)
        if (await runs.applyTransition("parked", run.id)) deps.changed(run.ownerId)
      } else if (overdue.has(run.id)) await end("failed", run, await timedOut(run))
      else if (status === "completed") await end("completed", run, null)
      else if (status === "error") await end("failed", run, answerFailed())
      else await end("cancelled", run, null) // the chat was stopped or deleted
    })

  async function timedOut({ automationId }: RunRow): Promise<ErrorBody> {
    const minutes = (await store.find(automationId))?.minutes ?? 0
    return new AppError("unavailable", sentence("automations.took_too_long", { minutes })).toBody()
  }

  async function follow(ownerId: string, chatId: string): Promise<void> {
    const run = await runs.findByChat(ownerId, chatId)
    if (run) await settle(run)
    await pump()
  }

  async function resume(ownerId: string, chatId: string): Promise<void> {
    const run = await runs.findByChat(ownerId, chatId)
    if (run?.status !== "waiting") return
    await lock.run(run.id, async () => {
      if ((await chats.status(ownerId, chatId)).pendingApprovals > 0) return
      if (!(await runs.applyTransition("resumed", run.id))) return
      limit(run, (await store.find(run.automationId))?.minutes ?? 1)
      deps.changed(ownerId)
    })
  }

  const failed = (error: unknown) => logger.error({ err: error }, "Checking automation runs failed")
  const stops = [
    bus.subscribe("answer.ended", ({ ownerId, chatId }) => void follow(ownerId, chatId).catch(failed)),
    bus.subscribe("approval.decided", ({ ownerId, chatId }) => void resume(ownerId, chatId).catch(failed)),
  ]

  /** Handles a run that was active when the box stopped: it continues, has ended in the meantime, or is repeated. */
  async function resumeRun(run: RunRow): Promise<void> {
    const { status, pendingApprovals } =
      run.chatId === null
        ? { status: "error", pendingApprovals: 0 }
        : await chats.status(run.ownerId, run.chatId)
    if (status === "active") return limit(run, (await store.find(run.automationId))?.minutes ?? 1)
    if (pendingApprovals > 0 || status === "completed" || status === "not_found") return settle(run)
    if (run.attempt >= maxAttempts) return end("failed", run, cutTooOften())
    await runs.applyTransition("cut", run.id, { attempt: run.attempt + 1 })
  }

  return {
    pump,

    async start() {
      await watchKeys()
      for (const run of await runs.active()) await resumeRun(run).catch(failed)
      await pump()
    },

    async cancel(run) {
      const { ownerId, chatId } = run
      const automation = await store.find(run.automationId)
      if (run.status === "running" && chatId !== null) {
        await chats.stop(ownerId, chatId)
        await settle(run)
      } else await end("cancelled", run, null)
      // The run's pending calls no longer need a decision.
      if (run.status === "waiting" && chatId !== null && automation) {
        await chats.deny(callerOfRun(automation, run), chatId)
        await chats.stop(ownerId, chatId)
      }
      const cancelled = await runs.find(run.id)
      // The run may have started since it was read.
      if (chatId === null && cancelled && cancelled.chatId !== null)
        await chats.stop(ownerId, cancelled.chatId)
      void pump().catch(failed)
      return cancelled
    },

    async [Symbol.asyncDispose]() {
      closed = true
      for (const stop of stops) stop()
      for (const keyId of watchedKeys.keys()) unwatchKey(keyId)
      for (const timer of limits.values()) clearTimeout(timer)
      await lock.run("pump", async () => undefined).catch(() => undefined)
    },
  }
}

const starterRevoked = (): ErrorBody =>
  new AppError("unauthorized", sentence("automations.starter_revoked")).toBody()
const answerFailed = (): ErrorBody =>
  new AppError("unavailable", sentence("automations.answer_failed")).toBody()
const cutTooOften = (): ErrorBody =>
  new AppError("unavailable", sentence("automations.cut_too_often", { count: maxAttempts })).toBody()
