import { basename } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import { currentCause } from "../../core/async-context.ts"
import { createSemaphore, type Semaphore } from "../../core/waiting/locks.ts"
import type { EngineEvent, GenerateRequest, ChatEngine } from "../engine.ts"
import { freeMemory } from "./computer.ts"
import { describesFunctions, readGgufHeader } from "./gguf/gguf-header.ts"
import { createModelHost } from "./model-host.ts"
import { type ModelPlan, planChatModel } from "./model-plan.ts"
import { toError, type AboutRequest, type ModelProcess, askProcess } from "./model-process.ts"
import type { GpuChoice } from "./process/gpu-choice.ts"
import type { ProcessEvent } from "./protocol.ts"

/** Maximum number of waiting requests, in total and of one person. */
const maxWaiting = 512
const maxWaitingEach = 64

/** The person and the conversation of a waiting request; null: unknown. */
interface WaitingAnswer {
  person: string | null
  conversation: string | null
}

/**
 * Assigns the slots of the context. People take turns, so that one with many requests doesn't keep all others waiting. Among one person's
 * requests, the first one of a conversation without a running answer goes first, so that one conversation can't hold every slot.
 */
export const createAnswerQueue = (slots: () => number): Semaphore<WaitingAnswer> =>
  createSemaphore({
    slots,
    maxWaiting,
    maxWaitingEach,
    getPerson: ({ person }) => person,
    isFair: true,
    tooMany: () => new AppError("rate_limited", sentence("llama.too_many_requests")),
    next: (waiting, active) =>
      waiting.findIndex(
        ({ caller: { conversation } }) =>
          conversation === null || !active.some((each) => each.conversation === conversation),
      ),
  })

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
async function* streamAnswer(
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

export interface LlamaEngineOptions {
  /** Path of a GGUF file. */
  modelPath: string
  /** Display name. Defaults to the file's name. */
  name?: string | undefined
  /** Maximum context of one chat, in tokens. If omitted or null, as many as fit. */
  contextSize?: number | null
  /** Runs before every start. Unloads other models until there is enough memory for this one, as far as possible. */
  makeRoom?(isEnough: () => boolean): Promise<void>
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
}

/**
 * A chat model in a separate process. The process starts on first use and restarts on the next use after a crash. If the file can't be a
 * model, every use throws `unavailable` with the reason.
 */
export function createLlamaEngine({
  modelPath,
  name = basename(modelPath).replace(/\.gguf$/i, ""),
  contextSize,
  makeRoom,
  spawn,
  gpu,
  logger,
}: LlamaEngineOptions): ChatEngine {
  let planned: ModelPlan | null = null
  let callsFunctions = false
  const planNow = () => {
    const header = readGgufHeader(modelPath)
    callsFunctions = describesFunctions(header)
    return planChatModel(header, freeMemory() + gpu.memoryBytes(), contextSize)
  }
  const host = createModelHost({
    spawn,
    gpu,
    logger,
    makeRoom: async () => makeRoom?.(() => isAmple(planNow)),
    plan: () => {
      planned = planNow()
      const { contextSize: tokens, sequences } = planned
      return { modelPath, purpose: "chat", contextSize: tokens, sequences }
    },
  })
  host.check()
  const queue = createAnswerQueue(() => planned?.sequences ?? 1)
  let lastId = 0

  return {
    model: {
      id: name,
      kind: "local",
      get contextSize() {
        return planned?.contextSize ?? 0
      },
      // node-llama-cpp supports text only so far: see docs/reference/models.md.
      vision: false,
      get callsFunctions() {
        return callsFunctions
      },
    },
    get state() {
      return host.state
    },
    onState: (listener) => host.onState(listener),
    async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
      const called = performance.now()
      let slot: Disposable | null = null
      try {
        const { userId: person } = currentCause()
        slot = await queue.acquire(signal, { person, conversation: request.conversationKey ?? null })
        const { process } = await unlessAborted(host.use(), signal)
        yield* streamAnswer(process, ++lastId, request, {
          signal,
          called,
          onSettled(outcome) {
            if (outcome === "worked") host.worked()
            slot?.[Symbol.dispose]()
          },
        })
      } catch (error) {
        if (!signal.aborted || error instanceof AppError) throw error
        yield abortedWhileWaiting
      } finally {
        slot?.[Symbol.dispose]()
      }
    },
    async prepare(prefix) {
      if (host.state.status !== "ready") return
      const { process } = await host.use()
      await askProcess(process, { type: "prepare", id: ++lastId, prefix }, "prepared")
    },
    async countTokens(text) {
      const { process } = await host.use()
      const { tokens } = await askProcess(process, { type: "count", id: ++lastId, text }, "counted")
      return tokens
    },
    async countPrompt(request) {
      const { process } = await host.use()
      const asking = { type: "count-prompt", id: ++lastId, request } as const
      const { tokens } = await askProcess(process, asking, "counted")
      return tokens
    },
    unload: () => host.unload(),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** Whether a model has its full intended context. */
function isAmple(plan: () => ModelPlan): boolean {
  try {
    return plan().isWhole
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

const abortedWhileWaiting: EngineEvent = {
  type: "finish",
  finishReason: "aborted",
  usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, firstTokenMs: null, tokensPerSecond: null },
}
