import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import type { Settings } from "../../../../shared/contract/settings.ts"
import type { DiskReserve } from "../../../core/disk/disk-reserve.ts"
import type { EventBus } from "../../../core/event-bus.ts"
import type { Push } from "../../../core/push.ts"
import { toAppError } from "../../../http/error-response.ts"
import { announceApproval } from "../approvals/approvals.ts"
import type { WaitingCall } from "../approvals/waiting-call.ts"
import type { Run, RunStatus } from "../streams/run.ts"
import type { Runs } from "../streams/runs.ts"
import { createAnswerRecord, toEvent, type AnswerRecord } from "../transcript/answers/answer-record.ts"
import { createAnswerSaver } from "../transcript/answers/answer-saver.ts"
import type { FinishedAnswer } from "../transcript/transcript-store.ts"
import { passes, type UnstoredAnswers } from "../transcript/answers/unstored-answers.ts"
import type { AnswerDeps } from "./answer.ts"
import type { TurnStore } from "./turn-store.ts"
import type { Turn } from "./turn.ts"
import { noUsage } from "./usage.ts"

export interface TurnRunnerDeps extends AnswerDeps {
  turnStore: TurnStore
  bus: EventBus
  push: Push
  textEvent(): Settings["textEvent"]
  reserve: Pick<DiskReserve, "orFree">
  unstored: Pick<UnstoredAnswers, "keep">
  runs: Pick<Runs, "closed">
  /** Counts the tokens of an answer. */
  answerUsed(userId: string, tokens: number): Promise<void>
}

/** How an answer's end is told to its owner, who isn't there; null: it isn't. */
export type EndToTell = "completed" | "error" | null

/**
 * Writes the answer of a stored turn to its run's stream and to the transcript; `record` collects it unless it is one that goes on
 * from its parts. Never rejects.
 */
export type RunTurn = (run: Run, turn: Turn, record?: AnswerRecord) => Promise<EndToTell>

/** How an answer ended, as far as its events tell. */
interface Outcome {
  finishReason: FinishReason
  usage: Usage
  /** Name of the model that wrote it. */
  model: string | null
  waiting: readonly WaitingCall[]
}

/** `finish` comes only when all is stored, so whoever waits for it can read the conversation. */
export function createTurnRunner(deps: TurnRunnerDeps): RunTurn {
  const announce = ({ ownerId, chatId, status }: Run) =>
    deps.push([ownerId], { type: "chat", chatId, status })

  return async (run, turn, record = createAnswerRecord(turn.progress.parts)) => {
    const { ownerId, chatId } = run
    const send = (event: ChatEvent) =>
      run.emit(event.type === "text-delta" && deps.textEvent() === "text" ? asText(event.textDelta) : event)
    const emit = (event: ChatEvent) => {
      if (!isPassing(event)) record.add(event)
      send(event)
    }
    announce(run)
    deps.bus.publish("answer.begun", {})
    emit({ type: "start", chatId, messageId: run.messageId })
    // Whoever follows an answer that goes on sees all of it.
    for (const part of turn.progress.parts) send(toEvent(part))
    const outcome = await write(deps, run, turn, record, emit)
    if (outcome === null) {
      run.end("aborted")
      return null
    }
    const { finishReason, usage, toTell } = await store(deps, run, turn, record, outcome, emit)
    await deps
      .answerUsed(ownerId, usage.totalTokens)
      .catch((error: unknown) => deps.logger.error({ err: error, chatId }, "Tokens weren't counted"))
    run.emit({ type: "finish", finishReason, usage })
    deps.bus.publish("answer.written", { finishReason, usage })
    run.end(statusAfter(finishReason))
    announce(run)
    const waiting = outcome.waiting.length
    deps.logger.debug({ ownerId, chatId, finishReason, usage, waiting }, "Answer ended")
    // Who leaves at the last moment is told, too.
    return toTell ?? endToTell(deps, run, turn, { finishReason, isParked: waiting > 0 })
  }
}

/**
 * Emits the answer's events and saves them piece by piece. What fails is the answer's last event. null: the box ends, and another
 * goes on with it.
 */
async function write(
  deps: TurnRunnerDeps,
  run: Run,
  turn: Turn,
  record: AnswerRecord,
  emit: (event: ChatEvent) => void,
): Promise<Outcome | null> {
  let isLeft = false
  let outcome: Outcome = { finishReason: "error", usage: noUsage, model: null, waiting: [] }
  const failing = new AbortController()
  let unsaved: MessagePart[] = []
  const save = async () => {
    unsaved = [...unsaved, ...record.takeNew()]
    await deps.reserve.orFree(() => deps.turnStore.addPiece(run.messageId, unsaved, turn.progress))
    unsaved = []
  }
  const saver = createAnswerSaver(save, (cause) => failing.abort(cause))
  try {
    const signal = AbortSignal.any([run.signal, failing.signal])
    const { answer } = await import("./answer.ts")
    for await (const event of answer(deps, turn, signal)) {
      if (run.isLeft) break // what comes of its being stopped isn't the answer's
      if (event.type === "finish") outcome = event
      else emit(event)
      saver.touch()
      // A call that isn't stored before it runs is made again by the box that goes on.
      if (event.type === "tool-call" && deps.turnStore.begun) await saver.flush()
    }
    isLeft = run.isLeft
    failing.signal.throwIfAborted()
    if (run.signal.aborted) outcome = { ...outcome, finishReason: "aborted", waiting: [] }
  } catch (cause) {
    const error = toAppError(cause, deps.logger)
    outcome = { ...outcome, finishReason: "error", waiting: [] }
    isLeft = run.isLeft
    if (!isLeft) emit({ type: "error", error: error.message, code: error.code, ...error.sentence.field })
  }
  await saver.stop()
  if (!isLeft) return outcome
  await save().catch((error: unknown) => deps.logger.warn({ err: error }, "The end of a text wasn't stored"))
  return null
}

/** Stores the end of the answer, or parks its turn and asks about the calls that wait; how it ended. */
async function store(
  deps: TurnRunnerDeps,
  run: Run,
  turn: Turn,
  record: AnswerRecord,
  { finishReason, usage, model, waiting }: Outcome,
  emit: (event: ChatEvent) => void,
): Promise<Pick<Outcome, "finishReason" | "usage"> & { toTell: EndToTell }> {
  const { turnStore, reserve, unstored, bus, push, logger } = deps
  const { ownerId, chatId } = run
  const toTell = endToTell(deps, run, turn, { finishReason, isParked: waiting.length > 0 })
  const finished = (): FinishedAnswer => ({
    content: record.content(),
    parts: record.parts(),
    finishReason,
    usage,
    model,
    labels: turn.progress.labels,
    status: statusAfter(finishReason),
    isUntold: toTell !== null,
  })
  try {
    if (waiting.length === 0) {
      await reserve.orFree(() => turnStore.finish(run, finished()))
      return { finishReason, usage, toTell }
    }
    const { toParked } = await import("./restore-turn.ts")
    const pending = await reserve.orFree(() => turnStore.park(run, finished(), toParked(turn), waiting))
    for (const { messageId: _, createdAt: __, ...request } of pending) {
      run.emit({ type: "tool-approval-request", ...request })
      announceApproval({ bus, push }, { ownerId, chatId, ...request })
    }
  } catch (cause) {
    const error = toAppError(cause, logger)
    if (finishReason !== "error")
      emit({ type: "error", error: error.message, code: error.code, ...error.sentence.field })
    finishReason = "error"
    // By then it is told.
    if (passes(cause)) unstored.keep(() => turnStore.finish(run, { ...finished(), isUntold: false }))
  }
  return { finishReason, usage, toTell: null }
}

/** Who asked in the app and left is told by other ways; also where reading all was cut off with the box. */
function endToTell(
  { runs }: Pick<TurnRunnerDeps, "runs">,
  { attended, events }: Run,
  { request: { origin } }: Turn,
  { finishReason, isParked }: { finishReason: FinishReason; isParked: boolean },
): EndToTell {
  const status = statusAfter(finishReason)
  if (origin !== "APP" || (isParked && status !== "error")) return null
  if (status === "aborted")
    return runs.closed && events.some((event) => event.type === "coverage") ? "error" : null
  return attended ? null : status
}

/** Says nothing to who reads the answer later. */
const isPassing = (event: ChatEvent) => event.type === "notice" && event.code === "model_loading"

const asText = (text: string): ChatEvent => ({ type: "text", text })

function statusAfter(finishReason: FinishReason): Exclude<RunStatus, "active"> {
  if (finishReason === "aborted" || finishReason === "error") return finishReason
  return "completed"
}
