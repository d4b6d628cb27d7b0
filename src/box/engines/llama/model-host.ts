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

export const createModelHost = (deps: ModelHostOptions): ModelHost => new EngineHost(deps)

class EngineHost implements ModelHost {
  readonly #deps: ModelHostOptions
  readonly #state = createObservedState()
  readonly #disposal = new AbortController()
  #starting: Promise<Running> | null = null
  #current: ModelProcess | null = null
  #crashes = 0
  #lastCrash = 0

  constructor(deps: ModelHostOptions) {
    this.#deps = deps
  }

  get state() {
    return this.#state.current
  }

  onState(listener: (state: EngineState) => void): () => void {
    return this.#state.onState(listener)
  }

  check(): Planned | null {
    try {
      return this.#deps.plan(false)
    } catch (error) {
      const { message, sentence: said } = toUnavailable(error)
      this.#deps.logger.warn({ reason: message }, "The model can't be used")
      this.#state.set({ status: "failed", error: message, ...said.field })
      return null
    }
  }

  use(): Promise<{ process: ModelProcess; loaded: Loaded }> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null
      const failure = toUnavailable(error)
      if (!this.#disposal.signal.aborted)
        this.#state.set({ status: "failed", error: failure.message, ...failure.sentence.field })
      throw failure
    })
    return this.#starting
  }

  async #start(): Promise<Running> {
    await backoff(this.#crashes, this.#lastCrash, this.#disposal.signal)
    const shouldUseGpu = await this.#deps.gpu.wanted()
    await this.#deps.makeRoom?.()
    const planned = this.#deps.plan(shouldUseGpu)
    try {
      return await this.#load(shouldUseGpu, planned)
    } catch (error) {
      if (!shouldUseGpu || this.#disposal.signal.aborted) throw error
      const running = await this.#load(false, this.#deps.plan(false))
      this.#deps.gpu.rememberFailure() // the GPU is at fault, because the model loads without it
      return running
    }
  }

  async #load(shouldUseGpu: boolean, planned: Planned): Promise<Running> {
    this.#disposal.signal.throwIfAborted()
    this.#state.set({ status: "loading", progress: 0 })
    const modelProcess = startModelProcess({
      spawn: this.#deps.spawn,
      logger: this.#deps.logger,
      load: {
        type: "load",
        gpu: shouldUseGpu,
        proven: this.#deps.gpu.proof?.kind(shouldUseGpu) ?? null,
        ...planned,
      },
      onProgress: (progress) => this.#state.set({ status: "loading", progress }),
      onThreads: (threads) => {
        if (this.#state.current.status === "ready") this.#state.set({ ...this.#state.current, threads })
      },
    })
    this.#current = modelProcess
    void modelProcess.ended.then((reason) => this.#onEnd(modelProcess, reason))
    try {
      const loaded = await modelProcess.loaded
      this.#deps.gpu.proof?.remember(loaded.gpu)
      const { gpu: usedGpu, threads, processor } = loaded
      this.#state.set({ status: "ready", gpu: usedGpu, threads, processor })
      return { process: modelProcess, loaded }
    } catch (error) {
      this.#deps.gpu.proof?.forget()
      await modelProcess[Symbol.asyncDispose]()
      throw error
    }
  }

  #onEnd(modelProcess: ModelProcess, reason: ExitReason): void {
    if (this.#current !== modelProcess) return
    this.#current = null
    this.#starting = null
    if (this.#disposal.signal.aborted) return
    this.#deps.gpu.proof?.forget() // this may have ended the process
    this.#crashes++
    this.#lastCrash = performance.now()
    if (this.#state.current.status === "ready") {
      this.#deps.logger.error(
        { reason, crashes: this.#crashes },
        "The model process ended unexpectedly; it starts again when it is needed",
      )
      this.#state.set({ status: "idle" })
    }
  }

  worked(): void {
    this.#crashes = 0
  }

  async unload(): Promise<void> {
    const running = this.#current
    if (running === null || this.#state.current.status !== "ready") return
    this.#current = null
    this.#starting = null
    this.#state.set({ status: "idle" })
    await running[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort()
    await this.#current?.[Symbol.asyncDispose]()
    this.#state.set({ status: "idle" })
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
