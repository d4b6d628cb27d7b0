import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import type { Settings } from "../../../../shared/contract/settings.ts"
import type { DiskReserve } from "../../../core/disk/disk-reserve.ts"
import type { EventBus } from "../../../core/event-bus.ts"
import type { Push } from "../../../core/push.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { toAppError } from "../../../http/error-response.ts"
import { writeAnswer, type AnswerDeps } from "./answer.ts"
import { createAnswerRecord, toEvent } from "../transcript/answer-record.ts"
import { createAnswerSaver } from "../transcript/answer-saver.ts"
import type { ParkedTurn } from "../approvals/approval-store.ts"
import { announceApproval } from "../approvals/approvals.ts"
import type { WaitingCall } from "../tool-calls/call-tools.ts"
import type { Run, RunStatus } from "../streams/run.ts"
import type { FinishedAnswer, TranscriptStore } from "../transcript/transcript-store.ts"
import type { Turn } from "./turn.ts"
import { noUsage } from "./model-loop.ts"
import { passes, type UnstoredAnswers } from "../transcript/unstored-answers.ts"

export interface AnswerWriterDeps extends Omit<AnswerDeps, "engine"> {
  store: TranscriptStore
  bus: EventBus
  push: Push
  engine(): ChatEngine | null
  textEvent(): Settings["textEvent"]
  reserve: Pick<DiskReserve, "orFree">
  unstored: Pick<UnstoredAnswers, "keep">
}

/** A turn of a conversation, and where it was asked. */
export type WrittenTurn = Omit<Turn, "keepLabels"> & Pick<ParkedTurn, "origin">

export interface AnswerWriter {
  /** Writes the answer of a stored turn to its run and to the transcript; whether it waits now. Never rejects. */
  write(run: Run, turn: WrittenTurn): Promise<"ended" | "parked">
}

interface Outcome {
  finishReason: FinishReason
  usage: Usage
  waiting: readonly WaitingCall[]
}

/** `finish` comes only when all is stored, so whoever waits for it can read the conversation. */
export function createAnswerWriter(deps: AnswerWriterDeps): AnswerWriter {
  const { store, bus, push, logger, reserve, unstored } = deps

  function announce({ ownerId, chatId, status }: Run): void {
    push([ownerId], { type: "chat", chatId, status })
  }

  async function write(run: Run, turn: WrittenTurn): Promise<"ended" | "parked"> {
    const { ownerId, chatId } = run
    const record = createAnswerRecord(turn.parts)
    const failing = new AbortController()
    let unsaved: MessagePart[] = []
    const save = async () => {
      unsaved = [...unsaved, ...record.takeNew()]
      await reserve.orFree(() => store.addPiece(run.messageId, unsaved))
      unsaved = []
    }
    const saver = createAnswerSaver(save, (cause) => failing.abort(cause))
    const send = (event: ChatEvent) =>
      run.emit(event.type === "text-delta" && deps.textEvent() === "text" ? asText(event.textDelta) : event)
    const emit = (event: ChatEvent) => {
      record.add(event)
      send(event)
    }
    let { labels } = turn
    const keepLabels = (read: typeof labels) => void (labels = read)
    let outcome: Outcome = { finishReason: "error", usage: noUsage, waiting: [] }

    announce(run)
    emit({ type: "start", chatId, messageId: run.messageId })
    // Whoever follows an answer that goes on sees all of it.
    for (const part of turn.parts) send(toEvent(part))
    try {
      const signal = AbortSignal.any([run.signal, failing.signal])
      const written = writeAnswer({ ...deps, engine: deps.engine() }, { ...turn, keepLabels }, signal)
      for await (const event of written) {
        if (event.type === "finish") outcome = event
        else emit(event)
        saver.touch()
      }
      failing.signal.throwIfAborted()
      if (run.signal.aborted) outcome = { ...outcome, finishReason: "aborted", waiting: [] }
    } catch (cause) {
      const error = toAppError(cause, logger)
      outcome = { ...outcome, finishReason: "error", waiting: [] }
      emit({ type: "error", error: error.message, code: error.code })
    }
    await saver.stop()
    const { waiting, ...finish } = outcome
    const finished = (parked: FinishedAnswer["parked"]): FinishedAnswer => ({
      content: record.content(),
      parts: record.parts(),
      ...finish,
      labels,
      status: statusAfter(finish.finishReason),
      parked,
    })
    try {
      const parked = waiting.length === 0 ? null : { turn: toParked(turn), calls: waiting }
      const pending = await reserve.orFree(() => store.finish(run, finished(parked)))
      for (const { messageId: _, createdAt: __, ...request } of pending) {
        run.emit({ type: "tool-approval-request", ...request })
        announceApproval({ bus, push }, { ownerId, chatId, ...request })
      }
    } catch (cause) {
      const error = toAppError(cause, logger)
      if (finish.finishReason !== "error") emit({ type: "error", error: error.message, code: error.code })
      finish.finishReason = "error"
      if (passes(cause)) unstored.keep(() => store.finish(run, finished(null)))
    }
    run.emit({ type: "finish", ...finish })
    run.end(statusAfter(finish.finishReason))
    announce(run)
    logger.debug({ ownerId, chatId, ...finish, waiting: waiting.length }, "Answer ended")
    if (waiting.length === 0 || finish.finishReason === "error") return "ended"
    return "parked"
  }

  return { write }
}

const toParked = ({
  assistant,
  vectorIds,
  boxAddress,
  origin,
  scopes,
  spent,
  sent,
  tasks,
}: WrittenTurn): ParkedTurn => ({
  assistantId: assistant?.id ?? null,
  vectorIds,
  boxAddress,
  origin,
  scopes,
  spent,
  sent: { ...sent, addresses: [...sent.addresses] },
  tasks: Object.fromEntries(tasks),
})

const asText = (text: string): ChatEvent => ({ type: "text", text })

function statusAfter(finishReason: FinishReason): Exclude<RunStatus, "active"> {
  if (finishReason === "aborted" || finishReason === "error") return finishReason
  return "completed"
}
