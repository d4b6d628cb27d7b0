import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import { toAppError } from "../../../http/error-response.ts"
import { announceApproval } from "../approvals/approvals.ts"
import type { WaitingCall } from "../approvals/approval-store.ts"
import type { Run, RunStatus, Runs } from "../streams/runs.ts"
import { createAnswerRecord, toEvent, type AnswerRecord } from "../transcript/message-parts.ts"
import { createAnswerSaver, passes, repeatWhileAway } from "../transcript/answers/answer-saving.ts"
import type { FinishedAnswer } from "../transcript/transcript-store.ts"
import type { TurnDeps } from "./turn-deps.ts"
import { type Turn, noUsage } from "./turn.ts"

/** The status to notify an absent owner of; null: no notification. */
export type NotifiableStatus = "completed" | "error" | null

/**
 * Writes the answer of a stored turn to its run's stream and to the transcript. `record` collects the answer; by default it continues from
 * the turn's parts. Never rejects.
 */
export type RunTurn = (run: Run, turn: Turn, record?: AnswerRecord) => Promise<NotifiableStatus>

/** How an answer ended, according to its events. */
interface Outcome {
  finishReason: FinishReason
  usage: Usage
  /** Name of the model that wrote the answer. */
  model: string | null
  waiting: readonly WaitingCall[]
}

/** `finish` is sent only after everything is stored, so that clients that wait for it can read the chat. */
export function createTurnRunner(deps: TurnDeps): RunTurn {
  const { box } = deps
  const announce = ({ ownerId, chatId, status }: Run) => box.push([ownerId], { type: "chat", chatId, status })

  return async (run, turn, record = createAnswerRecord(turn.progress.parts)) => {
    const { ownerId, chatId } = run
    const send = (event: ChatEvent) =>
      run.emit(
        event.type === "text-delta" && box.textEvent() === "text" ? toTextEvent(event.textDelta) : event,
      )
    const emit = (event: ChatEvent) => {
      if (!isPassing(event)) record.add(event)
      send(event)
    }
    announce(run)
    box.bus.publish("answer.begun", {})
    emit({ type: "start", chatId, messageId: run.messageId })
    // Followers of a resumed answer receive all of it.
    for (const part of turn.progress.parts) send(toEvent(part))
    const outcome = await write(deps, run, turn, record, emit)
    if (outcome === null) {
      run.end("aborted")
      return null
    }
    const { finishReason, usage, endNotification } = await store(deps, run, turn, record, outcome, emit)
    await box
      .recordTokens(ownerId, usage.totalTokens)
      .catch((error: unknown) => box.logger.error({ err: error, chatId }, "Counting tokens failed"))
    run.emit({ type: "finish", finishReason, usage })
    box.bus.publish("answer.written", { finishReason, usage })
    run.end(statusAfter(finishReason))
    announce(run)
    const waiting = outcome.waiting.length
    box.logger.debug({ ownerId, chatId, finishReason, usage, waiting }, "Answer ended")
    // Users who leave at the last moment are notified too.
    return (
      endNotification ?? findNotifiableStatus(deps.runs, run, turn, { finishReason, isParked: waiting > 0 })
    )
  }
}

/**
 * Emits the answer's events and saves them piece by piece. A failure becomes the answer's last event. Returns null if the box stops and
 * another one resumes the answer.
 */
async function write(
  deps: TurnDeps,
  run: Run,
  turn: Turn,
  record: AnswerRecord,
  emit: (event: ChatEvent) => void,
): Promise<Outcome | null> {
  const { box, turnStore } = deps
  let isLeft = false
  let outcome: Outcome = { finishReason: "error", usage: noUsage, model: null, waiting: [] }
  const failing = new AbortController()
  let unsaved: MessagePart[] = []
  const save = async () => {
    unsaved = [...unsaved, ...record.takeNew()]
    await box.reserve.withReserve(() => turnStore.addPiece(run.messageId, unsaved, turn.progress))
    unsaved = []
  }
  const saver = createAnswerSaver(save, (cause) => failing.abort(cause))
  try {
    const signal = AbortSignal.any([run.signal, failing.signal])
    const { answer } = await import("./answer.ts")
    for await (const event of answer(deps, turn, signal)) {
      if (run.isLeft) break // events caused by the stop aren't part of the answer
      if (event.type === "finish") outcome = event
      else emit(event)
      saver.touch()
      // A resuming box would repeat a call that wasn't stored before it ran.
      if (event.type === "tool-call" && turnStore.started) await saver.flush()
    }
    isLeft = run.isLeft
    failing.signal.throwIfAborted()
    if (run.signal.aborted) outcome = { ...outcome, finishReason: "aborted", waiting: [] }
  } catch (cause) {
    const error = toAppError(cause, box.logger)
    outcome = { ...outcome, finishReason: "error", waiting: [] }
    isLeft = run.isLeft
    if (!isLeft) emit({ type: "error", error: error.message, code: error.code, ...error.sentence.field })
  }
  await saver.stop()
  if (!isLeft) return outcome
  await save().catch((error: unknown) =>
    box.logger.warn({ err: error }, "The end of a text couldn't be stored"),
  )
  return null
}

/** Stores the end of the answer, or parks its turn and requests approval of the waiting calls. Returns how the answer ended. */
async function store(
  { box, runs, turnStore, unstored }: TurnDeps,
  run: Run,
  turn: Turn,
  record: AnswerRecord,
  { finishReason, usage, model, waiting }: Outcome,
  emit: (event: ChatEvent) => void,
): Promise<Pick<Outcome, "finishReason" | "usage"> & { endNotification: NotifiableStatus }> {
  const { reserve, bus, push, logger } = box
  const { ownerId, chatId } = run
  const endNotification = findNotifiableStatus(runs, run, turn, {
    finishReason,
    isParked: waiting.length > 0,
  })
  const finished = (): FinishedAnswer => ({
    content: record.content(),
    parts: record.parts(),
    finishReason,
    usage,
    model,
    labels: turn.progress.labels,
    status: statusAfter(finishReason),
    isNotificationPending: endNotification !== null,
  })
  // The answer isn't at fault if the server is away for a moment when it ends.
  const storeEnd = <T>(work: () => Promise<T>) =>
    repeatWhileAway(
      () => reserve.withReserve(work),
      () => runs.closed,
    )
  try {
    if (waiting.length === 0) {
      await storeEnd(() => turnStore.finish(run, finished()))
      return { finishReason, usage, endNotification }
    }
    const { toParked } = await import("./restore-turn.ts")
    const pending = await storeEnd(() => turnStore.park(run, finished(), toParked(turn), waiting))
    for (const { messageId: _, createdAt: __, ...request } of pending) {
      run.emit({ type: "tool-approval-request", ...request })
      announceApproval({ bus, push }, { ownerId, chatId, ...request })
    }
  } catch (cause) {
    const error = toAppError(cause, logger)
    if (finishReason !== "error")
      emit({ type: "error", error: error.message, code: error.code, ...error.sentence.field })
    finishReason = "error"
    // The owner has been notified by the time this is stored.
    if (passes(cause))
      unstored.keep(() => turnStore.finish(run, { ...finished(), isNotificationPending: false }))
  }
  return { finishReason, usage, endNotification: null }
}

/** Users who asked in the app and left are notified in another way, including when the box stopped during a whole-document reading. */
function findNotifiableStatus(
  runs: Runs,
  { attended, events }: Run,
  { request: { origin } }: Turn,
  { finishReason, isParked }: { finishReason: FinishReason; isParked: boolean },
): NotifiableStatus {
  const status = statusAfter(finishReason)
  if (origin !== "APP" || (isParked && status !== "error")) return null
  if (status === "aborted")
    return runs.closed && events.some((event) => event.type === "coverage") ? "error" : null
  return attended ? null : status
}

/** Returns whether the event is of no use to someone who reads the answer later. */
const isPassing = (event: ChatEvent) => event.type === "notice" && event.code === "model_loading"

const toTextEvent = (text: string): ChatEvent => ({ type: "text", text })

function statusAfter(finishReason: FinishReason): Exclude<RunStatus, "active"> {
  if (finishReason === "aborted" || finishReason === "error") return finishReason
  return "completed"
}
