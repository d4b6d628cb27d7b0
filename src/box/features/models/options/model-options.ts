import { z } from "zod"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import {
  type ContextCost,
  type KnownModelOptions,
  type ModelOptions,
  type ModelOptionsPatch,
  type ModelSpeed,
  ModelOptions as Stored,
  usualUnloadMinutes,
} from "../../../../shared/contract/models.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import type { ChatEngine, GenerateRequest, EngineUsage } from "../../../engines/engine.ts"
import { isServerModel, getModelId } from "../model-choice.ts"
import type { InstalledModels } from "../model-files.ts"
import type { ModelServers } from "../servers/servers.ts"

export interface ModelOptionsDeps {
  values: Pick<BoxValues, "read" | "write">
  installed: Pick<InstalledModels, "find">
  servers: Pick<ModelServers, "connect">
  /** Memory cost of the context of a model file on this computer. Throws `unavailable` if it doesn't fit at all. */
  estimateCost(path: string): Promise<ContextCost>
  /** Measured speeds of a model, by its reference. */
  getSpeeds(reference: string): ModelSpeed[]
  /** Called when a model has new options that take effect at its next start. */
  changed(reference: string): Promise<void>
}

const key = "modelOptions"
const StoredOptions = z.record(z.string(), Stored.partial())
type StoredOptions = z.infer<typeof StoredOptions>

/** Options that take effect only when the model starts. */
const startOptions = ["contextSize", "device", "vision"] as const
/** Options that have no effect on a server's model. */
const localOnly = ["device", "unloadAfterMinutes"] as const

const defaults: ModelOptions = {
  contextSize: null,
  temperature: null,
  topP: null,
  minP: null,
  maxTokens: null,
  thinking: null,
  thinkingTokens: null,
  device: null,
  unloadAfterMinutes: usualUnloadMinutes,
  vision: null,
}

/** Default answer options of each chat model; owners set them per model. */
export async function openModelOptions(deps: ModelOptionsDeps) {
  const { values, installed, servers, estimateCost, getSpeeds, changed } = deps
  const lock = createKeyedLock()
  const text = await values.read(key)
  let stored: StoredOptions = (text === null ? undefined : readStored(StoredOptions, text)) ?? {}

  const getOptions = (modelId: string): ModelOptions => {
    const usual = isServerModel(modelId) ? { ...defaults, unloadAfterMinutes: null } : defaults
    return Object.assign({ ...usual }, stored[modelId])
  }

  /** The model's reference and its known properties. Throws `not_found` and `unprocessable`. */
  async function find(modelId: string) {
    if (isServerModel(modelId)) {
      const model = await servers.connect(modelId)
      if (!model?.isListed) throw new AppError("not_found", sentence("models.no_such_model"))
      return { reference: modelId, contextSize: model.contextSize, vision: model.vision, cost: null }
    }
    const model = await installed.find(modelId)
    if (model.purpose !== "chat") throw new AppError("unprocessable", sentence("models.cannot_answer"))
    const cost = await estimateCost(model.path)
    return { reference: model.path, contextSize: model.contextSize, vision: null, cost }
  }
  type Found = Awaited<ReturnType<typeof find>>

  function requirePossible(patch: ModelOptionsPatch, { contextSize, vision, cost, reference }: Found): void {
    const max = cost ? Math.min(cost.largest, cost.trained) : contextSize
    if (patch.contextSize != null && max !== null && patch.contextSize > max)
      throw invalidField("contextSize", sentence("models.context_at_most", { count: max }))
    if (patch.vision != null && (cost !== null || vision !== null))
      throw invalidField("vision", sentence("models.vision_is_known"))
    if (!isServerModel(reference)) return
    const wrong = localOnly.find((name) => patch[name] != null)
    if (wrong !== undefined) throw invalidField(wrong, sentence("models.runs_elsewhere"))
  }

  return {
    /** Options of a model by its reference, without checking that the model exists. */
    of: (reference: string): ModelOptions => getOptions(getModelId(reference)),

    async read(modelId: string): Promise<KnownModelOptions> {
      const { cost, reference } = await find(modelId)
      return { options: getOptions(modelId), cost, speeds: getSpeeds(reference) }
    },

    update: (modelId: string, patch: ModelOptionsPatch): Promise<KnownModelOptions> =>
      lock.run(key, async () => {
        const found = await find(modelId)
        requirePossible(patch, found)
        const before = getOptions(modelId)
        const next = { ...stored, [modelId]: { ...stored[modelId], ...patch } }
        await values.write([{ key, value: JSON.stringify(next) }])
        stored = next
        const after = getOptions(modelId)
        if (startOptions.some((name) => before[name] !== after[name])) await changed(found.reference)
        return { options: after, cost: found.cost, speeds: getSpeeds(found.reference) }
      }),
  }
}

export type OpenModelOptions = Awaited<ReturnType<typeof openModelOptions>>

type Sampling = Pick<
  GenerateRequest,
  "temperature" | "topP" | "minP" | "maxTokens" | "thinkingTokens" | "effort"
>

/** Default parameters for requests that don't set them. */
export function getSampling(options: ModelOptions): Sampling {
  const { temperature, topP, minP, maxTokens, thinking, thinkingTokens } = options
  return {
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { topP }),
    ...(minP !== null && { minP }),
    ...(maxTokens !== null && { maxTokens }),
    ...(thinkingTokens !== null && { thinkingTokens }),
    ...(thinking === "off" && { effort: "none" as const, thinkingTokens: 0 }),
  }
}

/** An engine that uses its model's options unless a request sets them. */
export const applyModelOptions = (engine: ChatEngine, options: () => ModelOptions): ChatEngine =>
  Object.assign(Object.create(engine) as ChatEngine, {
    generate: (request: GenerateRequest, signal: AbortSignal) =>
      engine.generate({ ...samplingFor(request, options()), ...request }, signal),
  })

/** A request that sets any thinking parameter overrides all of them. */
function samplingFor(request: GenerateRequest, options: ModelOptions): Sampling {
  const { thinkingTokens, effort, ...sampling } = getSampling(options)
  if (request.thinkingTokens !== undefined || request.effort !== undefined) return sampling
  return { ...sampling, ...(thinkingTokens !== undefined && { thinkingTokens }), ...(effort && { effort }) }
}

/** Shorter answers and prompts aren't representative: starting takes most of their time. */
const minWritten = 8
const minRead = 200

/** Measured model speeds since the server started, by reference and by the hardware the model ran on. */
export function createMeasuredSpeeds() {
  const speeds = new Map<string, Map<ModelSpeed["runsOn"], ModelSpeed>>()

  function note(reference: string, engine: ChatEngine, wasReady: boolean, usage: EngineUsage): void {
    const { promptTokens, cachedTokens, completionTokens, firstTokenMs, tokensPerSecond } = usage
    if (tokensPerSecond === null || completionTokens < minWritten) return
    const runsOn = detectRunsOn(engine)
    const known = speeds.get(reference) ?? new Map<ModelSpeed["runsOn"], ModelSpeed>()
    const before = known.get(runsOn)?.promptTokensPerSecond ?? null
    const read = promptTokens - cachedTokens
    const isMeaningful = wasReady && runsOn !== "server" && read >= minRead && firstTokenMs !== null
    // Keeps the highest value: a request that waited for another answer seems slower than it was.
    const promptTokensPerSecond = isMeaningful ? Math.max(before ?? 0, (1000 * read) / firstTokenMs) : before
    speeds.set(reference, known.set(runsOn, { runsOn, tokensPerSecond, promptTokensPerSecond }))
  }

  return {
    of: (reference: string): ModelSpeed[] => [...(speeds.get(reference)?.values() ?? [])],

    /** Wraps a model's engine so that its answers are measured. */
    measured: (reference: string, engine: ChatEngine): ChatEngine =>
      Object.assign(Object.create(engine) as ChatEngine, {
        async *generate(request: GenerateRequest, signal: AbortSignal) {
          const wasReady = engine.state.status === "ready"
          for await (const event of engine.generate(request, signal)) {
            if (event.type === "finish") note(reference, engine, wasReady, event.usage)
            yield event
          }
        },
      }),
  }
}

function detectRunsOn({ model, state }: ChatEngine): ModelSpeed["runsOn"] {
  if (model.kind === "remote") return "server"
  return state.status === "ready" && state.gpu !== false ? "gpu" : "processor"
}
