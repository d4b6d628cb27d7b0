import type { AppError } from "../../../shared/contract/errors.ts"
import type { EngineEvent, GenerateRequest } from "../engine.ts"
import { toError } from "./ask-process.ts"
import type { AboutRequest, ModelProcess } from "./model-process.ts"
import type { ProcessEvent } from "./protocol.ts"

/** Timeout for a stopped answer to end; a native call that takes longer is stuck. */
const stopMs = 10_000

interface Answering {
  signal: AbortSignal
  /** When `generate` was called, from `performance.now()`. */
  called: number
  /** Called once, when the process has finished with the request or is gone; the caller may not have read all of it. */
  onSettled(outcome: "worked" | "crashed"): void
}

/**
 * Streams one answer from the process. If the caller stops reading early, it returns only after the process has stopped too, so that its
 * slot is free again.
 */
export async function* streamAnswer(
  process: ModelProcess,
  id: number,
  request: GenerateRequest,
  { signal, called, onSettled }: Answering,
): AsyncGenerator<EngineEvent> {
  const inbox = createInbox()
  let stopTimer: NodeJS.Timeout | undefined
  const stop = (): void => {
    if (inbox.isDone()) return
    process.send({ type: "stop", id })
    stopTimer ??= setTimeout(() => void process[Symbol.asyncDispose](), stopMs)
  }
  const settle = (outcome: "worked" | "crashed"): void => {
    clearTimeout(stopTimer)
    signal.removeEventListener("abort", stop)
    close()
    onSettled(outcome)
  }
  const close = process.open(
    { type: "generate", id, request },
    {
      onMessage(message) {
        inbox.receive(message)
        if (inbox.isDone()) settle("worked")
      },
      onLost(error) {
        inbox.fail(error)
        settle("crashed")
      },
    },
  )
  signal.addEventListener("abort", stop, { once: true })
  if (signal.aborted) stop()

  let firstTokenMs: number | null = null
  try {
    for (;;) {
      for (const event of await inbox.next()) {
        if (event.type === "finish") {
          const { type, finishReason, stopSequence, ...usage } = event
          const stopped = stopSequence === undefined ? {} : { stopSequence }
          yield { type, finishReason, ...stopped, usage: { ...usage, firstTokenMs } }
          return
        }
        if (event.type !== "start") firstTokenMs ??= performance.now() - called
        yield event
      }
    }
  } finally {
    stop()
    await inbox.drained()
  }
}

interface Inbox {
  receive(message: AboutRequest): void
  fail(error: AppError): void
  /** Waits for events. Throws the error after everything before it was read. */
  next(): Promise<ProcessEvent[]>
  isDone(): boolean
  /** Settles when the process will send nothing more about this request. */
  drained(): Promise<void>
}

/** Events that arrived and weren't read yet; limited by the length of an answer. */
function createInbox(): Inbox {
  const box: { events: ProcessEvent[]; failure: AppError | null; done: boolean } = {
    events: [],
    failure: null,
    done: false,
  }
  let changed = Promise.withResolvers<void>()
  const wake = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const fail = (error: AppError): void => {
    box.failure ??= error
    box.done = true
    wake()
  }
  return {
    fail,
    receive(message) {
      if (message.type !== "events") return fail(toError(message))
      box.events.push(...message.events)
      box.done ||= message.events.some(({ type }) => type === "finish")
      wake()
    },
    async next() {
      while (box.events.length === 0) {
        if (box.failure !== null) throw box.failure
        await changed.promise
      }
      return box.events.splice(0)
    },
    isDone: () => box.done,
    async drained() {
      while (!box.done) await changed.promise
    },
  }
}
