import type { ChatEvent, FinishReason, Usage } from "../../../shared/contract/chat.ts"
import type { Settings } from "../../../shared/contract/settings.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logger.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import { toAppError } from "../../http/error-response.ts"
import { noUsage, writeAnswer, type Turn } from "./answer.ts"
import { createAnswerRecord } from "./answer-record.ts"
import { createAnswerSaver } from "./answer-saver.ts"
import type { SearchFolders } from "./find-passages.ts"
import type { KeptRetrieval } from "./ground.ts"
import type { Run, RunStatus } from "./run.ts"
import type { TranscriptStore } from "./transcript-store.ts"

export interface AnswerWriterDeps {
  store: TranscriptStore
  bus: EventBus
  logger: Logger
  engine(): ChatEngine | null
  search: SearchFolders
  textEvent(): Settings["textEvent"]
}

export interface AnswerWriter {
  /** Writes the answer of a stored turn to its run and to the transcript. Never rejects. */
  write(run: Run, turn: Turn): Promise<void>
}

/** `finish` comes only when all is stored, so whoever waits for it can read the conversation. */
export function createAnswerWriter(deps: AnswerWriterDeps): AnswerWriter {
  const { store, bus, logger } = deps

  function announce({ ownerId, chatId, status }: Run): void {
    bus.publish("push", { userIds: [ownerId], message: { type: "chat", chatId, status } })
  }

  async function write(run: Run, turn: Turn): Promise<void> {
    const { ownerId, chatId } = run
    const record = createAnswerRecord()
    const failing = new AbortController()
    const saver = createAnswerSaver(
      () => store.save(run, { content: record.content(), parts: record.parts() }),
      (cause) => failing.abort(cause),
    )
    const emit = (event: ChatEvent) => {
      record.add(event)
      run.emit(event.type === "text-delta" && deps.textEvent() === "text" ? asText(event.textDelta) : event)
    }
    let outcome: { finishReason: FinishReason; usage: Usage } = { finishReason: "error", usage: noUsage }

    announce(run)
    emit({ type: "start", chatId, messageId: run.messageId })
    try {
      const signal = AbortSignal.any([run.signal, failing.signal])
      const answerDeps = {
        engine: deps.engine(),
        search: deps.search,
        keepRetrieval: (retrieval: KeptRetrieval) => store.keepRetrieval(run.messageId, retrieval),
      }
      const answer = writeAnswer(answerDeps, turn, signal)
      for await (const event of answer) {
        if (event.type === "finish") outcome = event
        else emit(event)
        saver.touch()
      }
      failing.signal.throwIfAborted()
      if (run.signal.aborted) outcome = { ...outcome, finishReason: "aborted" }
    } catch (cause) {
      const error = toAppError(cause, logger)
      outcome = { ...outcome, finishReason: "error" }
      emit({ type: "error", error: error.message, code: error.code })
    }
    await saver.stop()
    const status = statusAfter(outcome.finishReason)
    try {
      await store.finish(run, {
        content: record.content(),
        parts: record.parts(),
        finishReason: outcome.finishReason,
        usage: outcome.usage,
        status,
      })
    } catch (cause) {
      const error = toAppError(cause, logger)
      if (outcome.finishReason !== "error")
        run.emit({ type: "error", error: error.message, code: error.code })
      outcome = { ...outcome, finishReason: "error" }
    }
    run.emit({ type: "finish", ...outcome })
    run.end(statusAfter(outcome.finishReason))
    announce(run)
    logger.debug({ ownerId, chatId, ...outcome }, "Answer ended")
  }

  return { write }
}

const asText = (text: string): ChatEvent => ({ type: "text", text })

function statusAfter(finishReason: FinishReason): Exclude<RunStatus, "active"> {
  if (finishReason === "aborted" || finishReason === "error") return finishReason
  return "completed"
}
