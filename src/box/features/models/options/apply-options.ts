import type { ModelOptions } from "../../../../shared/contract/model-options.ts"
import type { ChatEngine, GenerateRequest } from "../../../engines/engine.ts"

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
