import type { ModelOptions } from "../../../../shared/contract/model-options.ts"
import type { ChatEngine, GenerateRequest } from "../../../engines/engine.ts"

type Sampling = Pick<
  GenerateRequest,
  "temperature" | "topP" | "minP" | "maxTokens" | "thinkingTokens" | "effort"
>

/** What a request is made with that doesn't say it itself. */
export function samplingOf(options: ModelOptions): Sampling {
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

/** An engine that answers with the options of its model where a request doesn't say otherwise. */
export const withOptions = (engine: ChatEngine, options: () => ModelOptions): ChatEngine =>
  Object.assign(Object.create(engine) as ChatEngine, {
    generate: (request: GenerateRequest, signal: AbortSignal) =>
      engine.generate({ ...samplingOf(options()), ...request }, signal),
  })
