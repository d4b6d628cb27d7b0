import type { EngineMessage, GenerateRequest } from "../../../engines/engine.ts"
import { given } from "../generate-request.ts"
import { type NamedPicture, namedPictures, picturesFor, type PreparedPictures } from "../pictures.ts"
import type { ResponseRequest } from "./request-schema.ts"
import { getFunctions, nameInGroup } from "./tools.ts"

/** Converts a validated Responses request for the engine. */
export function toGenerateRequest(request: ResponseRequest, pictures: PreparedPictures): GenerateRequest {
  const { tool_choice: choice } = request
  return {
    messages: toMessages(request, pictures),
    ...given("temperature", request.temperature),
    ...given("topP", request.top_p),
    ...given("effort", request.reasoning?.effort),
    ...given("maxTokens", request.max_output_tokens),
    ...given("responseFormat", toResponseFormat(request)),
    ...given("functions", request.tools && getFunctions(request.tools).map(({ offered }) => offered)),
    ...given("functionChoice", typeof choice === "object" && choice ? { name: choice.name } : choice),
  }
}

/** Returns the images of a request. */
export const getPictures = ({ input }: ResponseRequest): NamedPicture[] =>
  input.flatMap((item, index) =>
    item.type === "message" && item.role === "user"
      ? namedPictures(item.content.pictures, ["input", index])
      : [],
  )

function toMessages({ instructions, input }: ResponseRequest, pictures: PreparedPictures): EngineMessage[] {
  const messages: EngineMessage[] = instructions ? [{ role: "system", content: instructions }] : []
  for (const item of input) {
    if (item.type === "message" && item.role === "user") {
      const { text, pictures: asked } = item.content
      messages.push({ role: "user", content: text, ...picturesFor(asked, pictures) })
    } else if (item.type === "message") {
      messages.push({ role: item.role === "developer" ? "system" : item.role, content: item.content })
    } else if (item.type === "function_call_output") {
      messages.push({ role: "tool", content: item.output, toolCallId: item.call_id })
    } else if (item.type === "function_call") {
      const name = nameInGroup(item.name, item.namespace)
      const call = { toolCallId: item.call_id, name, args: item.arguments }
      const last = messages.at(-1)
      if (last?.role === "assistant") last.toolCalls = [...(last.toolCalls ?? []), call]
      else messages.push({ role: "assistant", content: "", toolCalls: [call] })
    }
  }
  return messages
}

function toResponseFormat({ text }: ResponseRequest): GenerateRequest["responseFormat"] {
  const format = text?.format
  if (!format || format.type === "text") return undefined
  return format.type === "json_schema"
    ? { type: "json_schema", schema: format.schema }
    : { type: "json_object" }
}
