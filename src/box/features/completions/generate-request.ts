import type { EngineMessage, GenerateRequest } from "../../engines/engine.ts"
import { type NamedPicture, namedPictures, picturesFor, type PreparedPictures } from "./pictures.ts"
import type { CompletionRequest } from "./request-schema.ts"

/** Converts a validated chat completions request for the engine. */
export function toGenerateRequest(request: CompletionRequest, pictures: PreparedPictures): GenerateRequest {
  return {
    messages: request.messages.map((message) => toEngineMessage(message, pictures)),
    ...given("temperature", request.temperature),
    ...given("topP", request.top_p),
    ...given("effort", request.reasoning_effort),
    ...given("maxTokens", request.max_completion_tokens ?? request.max_tokens),
    ...given("stop", typeof request.stop === "string" ? [request.stop] : request.stop),
    // Engines accept 32-bit seeds.
    ...given("seed", request.seed == null ? null : Number(BigInt.asUintN(32, BigInt(request.seed)))),
    ...given("presencePenalty", request.presence_penalty),
    ...given("frequencyPenalty", request.frequency_penalty),
    ...given("responseFormat", toResponseFormat(request)),
    ...given("functions", request.tools?.map(toFunction)),
    ...given(
      "functionChoice",
      typeof request.tool_choice === "object" && request.tool_choice
        ? request.tool_choice.function
        : request.tool_choice,
    ),
  }
}

/** Returns the images of a request. */
export const getPictures = ({ messages }: CompletionRequest): NamedPicture[] =>
  messages.flatMap((message, index) =>
    message.role === "user" ? namedPictures(message.content.pictures, ["messages", index]) : [],
  )

type Message = CompletionRequest["messages"][number]
type Tool = NonNullable<CompletionRequest["tools"]>[number]

function toEngineMessage(message: Message, pictures: PreparedPictures): EngineMessage {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: message.content }
    case "user":
      return {
        role: "user",
        content: message.content.text,
        ...picturesFor(message.content.pictures, pictures),
      }
    case "tool":
      return { role: "tool", content: message.content, toolCallId: message.tool_call_id }
    case "assistant": {
      const toolCalls = message.tool_calls?.map(({ id, function: { name, arguments: args } }) => ({
        toolCallId: id,
        name,
        args,
      }))
      return { role: "assistant", content: message.content ?? "", ...given("toolCalls", toolCalls) }
    }
  }
}

function toFunction({ function: { name, description, parameters, strict } }: Tool) {
  return {
    name,
    ...given("description", description),
    ...given("parameters", parameters),
    ...given("strict", strict),
  }
}

function toResponseFormat({ response_format: format }: CompletionRequest): GenerateRequest["responseFormat"] {
  if (!format || format.type === "text") return undefined
  const schema = format.type === "json_schema" ? format.json_schema.schema : undefined
  return schema ? { type: "json_schema", schema } : { type: "json_object" }
}

/** Returns an object with the property, or an empty one if it has no value. */
export function given<K extends string, V>(key: K, value: V | null | undefined): { [P in K]?: V } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
