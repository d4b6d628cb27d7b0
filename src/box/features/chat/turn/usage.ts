import type { Usage } from "../../../../shared/contract/chat.ts"
import type { EngineUsage } from "../../../engines/engine.ts"

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
}

/** Combines the usage of several rounds: the last prompt, which contains the previous ones, and all generated tokens. */
export function addUsage(before: Usage, round: EngineUsage): Usage {
  const completionTokens = before.completionTokens + round.completionTokens
  return {
    promptTokens: round.promptTokens,
    completionTokens,
    totalTokens: round.promptTokens + completionTokens,
    firstTokenMs: before.firstTokenMs ?? round.firstTokenMs,
    tokensPerSecond: round.tokensPerSecond ?? before.tokensPerSecond,
  }
}
