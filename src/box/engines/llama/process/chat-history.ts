import type { ChatHistoryItem, ChatModelFunctionCall, ChatModelResponse } from "node-llama-cpp"
import type { EngineFunction, EngineMessage } from "../../engine.ts"

/** Converts the box's messages to node-llama-cpp's history, where calls and their results are part of an answer. */
export function toChatHistory(messages: EngineMessage[], functions: EngineFunction[]): ChatHistoryItem[] {
  const descriptions = new Map(functions.map(({ name, description }) => [name, description]))
  const results = new Map(
    messages.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message.content]] : [])),
  )
  const history: ChatHistoryItem[] = []
  for (const message of messages) {
    if (message.role === "tool") continue
    if (message.role !== "assistant") {
      history.push({ type: message.role, text: message.content })
      continue
    }
    const calls = (message.toolCalls ?? []).map(
      ({ toolCallId, name, args }, index): ChatModelFunctionCall => {
        const description = descriptions.get(name)
        const result = results.get(toolCallId)
        return {
          type: "functionCall",
          name,
          params: parseJson(args),
          result: result === undefined ? undefined : parseJson(result),
          ...(description === undefined ? {} : { description }),
          ...(index === 0 ? { startsNewChunk: true } : {}),
        }
      },
    )
    const response = [...(message.content === "" ? [] : [message.content]), ...calls]
    const last = history.at(-1)
    if (last?.type === "model") last.response.push(...response)
    else history.push({ type: "model", response } satisfies ChatModelResponse)
  }
  return history
}

/** Arguments and results that are valid JSON are passed to the model as JSON, all others as text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
