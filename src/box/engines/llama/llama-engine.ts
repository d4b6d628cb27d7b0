import { basename } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { unlessAborted } from "../../core/waiting/abort.ts"
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
  /** A GGUF file. */
  modelPath: string
  /** What people call it; the file's name unless given. */
  name?: string | undefined
  /** Tokens of context of one conversation, at most; as many as fit when left out, or null. */
  contextSize?: number | null
  /** Before every start: takes other models out of memory until there is enough for this one, as far as that is possible. */
  makeRoom?(isEnough: () => boolean): Promise<void>
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
}

/**
 * A chat model in a process of its own. The process starts at first use and again after it died; a file that can't
 * be a model is found out here, and then every use throws `unavailable` with the reason.
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
      // node-llama-cpp reads text only so far: docs/models.md.
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

/** Whether a model has all the context that it is to have. */
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
