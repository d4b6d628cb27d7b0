import { basename } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { ChatEngine, EngineEvent, GenerateRequest } from "../engine.ts"
import { askProcess } from "./ask-process.ts"
import { createAnswerQueue } from "./answer-queue.ts"
import { streamAnswer } from "./answer-stream.ts"
import { describesFunctions } from "./gguf/describes-functions.ts"
import { readGgufHeader } from "./gguf/gguf-header.ts"
import type { GpuChoice } from "./process/gpu-choice.ts"
import { createModelHost } from "./model-host.ts"
import { freeMemory } from "./computer-memory.ts"
import { type ModelPlan, planChatModel } from "./model-plan.ts"

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
      // node-llama-cpp supports text only so far: see docs/models.md.
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
      let place: Disposable | null = null
      try {
        place = await queue.acquire(signal, request.conversationKey ?? null)
        const { process } = await unlessAborted(host.use(), signal)
        yield* streamAnswer(process, ++lastId, request, {
          signal,
          called,
          onSettled(outcome) {
            if (outcome === "worked") host.worked()
            place?.[Symbol.dispose]()
          },
        })
      } catch (error) {
        if (!signal.aborted || error instanceof AppError) throw error
        yield abortedWhileWaiting
      } finally {
        place?.[Symbol.dispose]()
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
