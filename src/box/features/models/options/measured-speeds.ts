import type { ModelSpeed } from "../../../../shared/contract/model-options.ts"
import type { ChatEngine, EngineUsage, GenerateRequest } from "../../../engines/engine.ts"

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
