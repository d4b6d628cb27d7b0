import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { EngineMessage, EngineToolCall } from "../../../engines/engine.ts"

interface Round {
  content: string
  calls: EngineToolCall[]
  hasResults: boolean
}

/**
 * Returns an answer as the model reads it: its text, calls and results, round by round. It stays the same while the answer grows and when
 * it is read back, so that the engine can reuse its cache.
 */
export function toEngineMessages(parts: readonly MessagePart[]): EngineMessage[] {
  const results = new Map(
    parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part.result]] : [])),
  )
  const rounds: Round[] = []
  const nextRound = (): Round => {
    const round = { content: "", calls: [], hasResults: false }
    rounds.push(round)
    return round
  }
  for (const part of parts) {
    const last = rounds.at(-1)
    if (part.type === "text") {
      const round = last === undefined || last.calls.length > 0 ? nextRound() : last
      round.content += part.text
    } else if (part.type === "tool-call") {
      const round = last === undefined || last.hasResults ? nextRound() : last
      round.calls.push({
        toolCallId: part.toolCallId,
        name: part.toolName,
        // Model servers refuse a history whose arguments aren't JSON.
        args: JSON.stringify(typeof part.args === "string" ? { text: part.args } : (part.args ?? {})),
      })
    } else if (part.type === "tool-result" && last !== undefined) last.hasResults = true
  }
  return rounds.flatMap(({ content, calls }): EngineMessage[] => [
    { role: "assistant", content, ...(calls.length > 0 ? { toolCalls: calls } : {}) },
    ...calls.map(({ toolCallId }) => ({
      role: "tool" as const,
      toolCallId,
      content: resultText(results.has(toolCallId) ? results.get(toolCallId) : notRun),
    })),
  ])
}

const notRun = { error: "There is no result: it was stopped or interrupted." }

/** Returns a result as the model reads it. */
export const resultText = (result: unknown): string =>
  typeof result === "string" ? result : (JSON.stringify(result) ?? "null")
