import type { EngineMessage, EnginePicture, GenerateRequest } from "../engine.ts"

/** Converts an engine request to OpenAI's chat completions format. */
export function toCompletionRequest(request: GenerateRequest, model: string): Record<string, unknown> {
  const { functionChoice, responseFormat } = request
  const functions = (request.functions ?? []).filter(({ hidden }) => hidden !== true)
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: request.messages.map(toMessage),
    ...defined({
      temperature: request.temperature,
      top_p: request.topP,
      min_p: request.minP,
      reasoning_effort: request.effort,
      max_tokens: request.maxTokens,
      stop: request.stop,
      seed: request.seed,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
    }),
    ...(functions.length === 0
      ? {}
      : {
          tools: functions.map((definition) => ({ type: "function", function: definition })),
          ...defined({ tool_choice: toToolChoice(functionChoice) }),
        }),
    ...(responseFormat === undefined ? {} : { response_format: toResponseFormat(responseFormat) }),
  }
}

function toMessage(message: EngineMessage): Record<string, unknown> {
  if (message.role === "tool")
    return { role: "tool", content: message.content, tool_call_id: message.toolCallId }
  if (message.role === "user" && message.pictures !== undefined && message.pictures.length > 0)
    return { role: "user", content: toParts(message.content, message.pictures) }
  if (message.role !== "assistant" || message.toolCalls === undefined || message.toolCalls.length === 0)
    return { role: message.role, content: message.content }
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: message.toolCalls.map(({ toolCallId, name, args }) => ({
      id: toolCallId,
      type: "function",
      function: { name, arguments: args },
    })),
  }
}

/** Text and images in their original order. */
function toParts(text: string, pictures: readonly EnginePicture[]): object[] {
  const parts: object[] = []
  const say = (some: string) => void (some !== "" && parts.push({ type: "text", text: some }))
  let answered = 0
  for (const { mediaType, bytes, at } of pictures) {
    say(text.slice(answered, at))
    answered = at
    const url = `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`
    parts.push({ type: "image_url", image_url: { url } })
  }
  say(text.slice(answered))
  return parts
}

function toToolChoice(choice: GenerateRequest["functionChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice
}

function toResponseFormat(format: NonNullable<GenerateRequest["responseFormat"]>): unknown {
  return format.type === "json_object"
    ? format
    : { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } }
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
