import { basename } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ExitReason, SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { type EngineState, createObservedState, type EngineModel } from "../engine.ts"
import { freeMemory } from "./computer.ts"
import { readGgufHeader } from "./gguf/gguf-header.ts"
import { planEmbeddingModel } from "./model-plan.ts"
import { type Loaded, type ModelProcess, startModelProcess } from "./model-process.ts"
import type { GpuChoice } from "./process/gpu-choice.ts"
import type { LoadModel } from "./protocol.ts"

/** Delay before the process is restarted after its second consecutive crash. It grows with each further crash. */
const firstBackoffMs = 250
const maxBackoffMs = 4_000

interface ModelHostOptions {
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
  /** Runs before every start. Frees memory for the model, as far as possible. */
  makeRoom?(): Promise<void>
  /** Decides at every start what to load. Throws AppError if the file or the memory doesn't allow it. */
  plan(gpu: boolean): Planned
}

type Planned = Omit<LoadModel, "type" | "gpu" | "proven">

/** Keeps a model process running: starts it on first use and restarts it after a crash. */
interface ModelHost extends AsyncDisposable {
  readonly state: EngineState
  onState(listener: (state: EngineState) => void): () => void
  /** Returns the current plan without loading anything. Returns null if there is no possible plan; the state then holds the reason. */
  check(): Planned | null
  /** Returns the running process with its model loaded. Throws AppError `unavailable` if that isn't possible. */
  use(): Promise<{ process: ModelProcess; loaded: Loaded }>
  /** Reports that the process did its work, so earlier crashes no longer matter. */
  worked(): void
  /** Ends the process. It starts again on the next use. */
  unload(): Promise<void>
}

type Running = { process: ModelProcess; loaded: Loaded }

export function createModelHost({ spawn, gpu, logger, makeRoom, plan }: ModelHostOptions): ModelHost {
  const state = createObservedState()
  const disposal = new AbortController()
  let starting: Promise<Running> | null = null
  let current: ModelProcess | null = null
  let crashes = 0
  let lastCrash = 0

  const start = async (): Promise<Running> => {
    await backoff(crashes, lastCrash, disposal.signal)
    const shouldUseGpu = await gpu.wanted()
    await makeRoom?.()
    const planned = plan(shouldUseGpu)
    try {
      return await load(shouldUseGpu, planned)
    } catch (error) {
      if (!shouldUseGpu || disposal.signal.aborted) throw error
      const running = await load(false, plan(false))
      gpu.rememberFailure() // the GPU is at fault, because the model loads without it
      return running
    }
  }

  const load = async (shouldUseGpu: boolean, planned: Planned): Promise<Running> => {
    disposal.signal.throwIfAborted()
    state.set({ status: "loading", progress: 0 })
    const modelProcess = startModelProcess({
      spawn,
      logger,
      load: { type: "load", gpu: shouldUseGpu, proven: gpu.proof?.kind(shouldUseGpu) ?? null, ...planned },
      onProgress: (progress) => state.set({ status: "loading", progress }),
      onThreads: (threads) => {
        if (state.current.status === "ready") state.set({ ...state.current, threads })
      },
    })
    current = modelProcess
    void modelProcess.ended.then((reason) => onEnd(modelProcess, reason))
    try {
      const loaded = await modelProcess.loaded
      gpu.proof?.remember(loaded.gpu)
      const { gpu: usedGpu, threads, processor } = loaded
      state.set({ status: "ready", gpu: usedGpu, threads, processor })
      return { process: modelProcess, loaded }
    } catch (error) {
      gpu.proof?.forget()
      await modelProcess[Symbol.asyncDispose]()
      throw error
    }
  }

  const onEnd = (modelProcess: ModelProcess, reason: ExitReason): void => {
    if (current !== modelProcess) return
    current = null
    starting = null
    if (disposal.signal.aborted) return
    gpu.proof?.forget() // this may have ended the process
    crashes++
    lastCrash = performance.now()
    if (state.current.status === "ready") {
      logger.error({ reason, crashes }, "The model process ended unexpectedly; it starts again at next use")
      state.set({ status: "idle" })
    }
  }

  return {
    get state() {
      return state.current
    },
    onState: (listener) => state.onState(listener),
    check() {
      try {
        return plan(false)
      } catch (error) {
        const { message, sentence: said } = toUnavailable(error)
        logger.warn({ reason: message }, "The model can't be used")
        state.set({ status: "failed", error: message, ...said.field })
        return null
      }
    },
    use() {
      starting ??= start().catch((error: unknown) => {
        starting = null
        const failure = toUnavailable(error)
        if (!disposal.signal.aborted)
          state.set({ status: "failed", error: failure.message, ...failure.sentence.field })
        throw failure
      })
      return starting
    },
    worked() {
      crashes = 0
    },
    async unload() {
      const running = current
      if (running === null || state.current.status !== "ready") return
      current = null
      starting = null
      state.set({ status: "idle" })
      await running[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      disposal.abort()
      await current?.[Symbol.asyncDispose]()
      state.set({ status: "idle" })
    },
  }
}

function toUnavailable(error: unknown): AppError {
  if (!(error instanceof AppError))
    return new AppError("unavailable", sentence("llama.not_started"), { cause: error })
  if (error.code !== "engine_crashed") return error
  return new AppError("unavailable", sentence("llama.ended_while_loading"), { cause: error })
}

async function backoff(crashes: number, lastCrash: number, signal: AbortSignal): Promise<void> {
  if (crashes < 2) return
  const pause = Math.min(firstBackoffMs * 2 ** (crashes - 2), maxBackoffMs)
  const remaining = lastCrash + pause - performance.now()
  if (remaining <= 0) return
  await wait(remaining, undefined, { signal }).catch(() => undefined)
}

export interface EncoderOptions {
  /** Path of a GGUF file. */
  modelPath: string
  /** Display name of the model; by default the file's name. */
  name?: string | undefined
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
}

/** The process of a model that reads whole texts and generates none: it embeds or ranks them. */
export function createEncoderHost(
  purpose: "embedding" | "reranking",
  { modelPath, name = basename(modelPath).replace(/\.gguf$/i, ""), spawn, gpu, logger }: EncoderOptions,
): { host: ModelHost; model: EngineModel } {
  const host = createModelHost({
    spawn,
    gpu,
    logger,
    plan: () => ({
      modelPath,
      purpose,
      ...planEmbeddingModel(readGgufHeader(modelPath), freeMemory() + gpu.memoryBytes()),
    }),
  })
  return { host, model: { id: name, kind: "local", contextSize: host.check()?.contextSize ?? 0 } }
}
