import type { EngineMessage, GenerateRequest } from "../../../engines/engine.ts"
import { given } from "../generate-request.ts"
import { parameterName } from "../parse-request.ts"
import { type NamedPicture, picturesFor, type PreparedPictures } from "../pictures.ts"
import type { CountRequest, MessageRequest } from "./request-schema.ts"

/** Converts a validated Messages request for the engine. */
export function toGenerateRequest(request: MessageRequest, pictures: PreparedPictures): GenerateRequest {
  return {
    ...toPrompt(request, pictures),
    ...given("maxTokens", request.max_tokens),
    ...given("temperature", request.temperature),
    ...given("topP", request.top_p),
    ...given("stop", request.stop_sequences?.length ? request.stop_sequences : null),
    ...toThinking(request),
  }
}

/** Returns the part of a request that the model reads. */
export function toPrompt(request: CountRequest, pictures: PreparedPictures): GenerateRequest {
  const { system, messages, tools, tool_choice: choice, output_config } = request
  const instructions = toText(system ?? [])
  const schema = output_config?.format?.schema
  return {
    messages: [
      ...(instructions === "" ? [] : [{ role: "system" as const, content: instructions }]),
      ...messages.flatMap((message) => toEngineMessages(message, pictures)),
    ],
    ...given("responseFormat", schema && { type: "json_schema" as const, schema }),
    ...given("functions", tools && offered(tools, request).map(toFunction)),
    ...given("functionChoice", choice && toFunctionChoice(choice)),
  }
}

/** Without a setting the model uses its default. Efforts above the highest that engines know are mapped to that one. */
function toThinking({ thinking, output_config }: MessageRequest): Partial<GenerateRequest> {
  const effort = output_config?.effort
  if (thinking?.type === "disabled") return { effort: "none", thinkingTokens: 0 }
  return {
    ...given("thinkingTokens", thinking?.type === "enabled" ? thinking.budget_tokens : null),
    ...given("effort", effort === "xhigh" || effort === "max" ? "high" : effort),
  }
}

type Message = CountRequest["messages"][number]
type Block = Message["content"][number]
type Result = Extract<Block, { type: "tool_result" }>
type ResultBlock = NonNullable<Result["content"]>[number]
type Tool = NonNullable<CountRequest["tools"]>[number]

/** Returns the tools that the model is offered. Deferred tools are included only after a search found them or they were called. */
function offered(tools: readonly Tool[], { messages, tool_choice: choice }: CountRequest): Tool[] {
  const told = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => {
        if (block.type === "tool_use") return [block.name]
        if (block.type !== "tool_result") return []
        return (block.content ?? []).flatMap((part) =>
          part.type === "tool_reference" ? [part.tool_name] : [],
        )
      }),
    ),
  )
  if (choice?.type === "tool") told.add(choice.name)
  return tools.filter(({ name, defer_loading: isDeferred }) => isDeferred !== true || told.has(name))
}

type FieldPath = (string | number)[]

/** Returns the images of a request. Those in tool results come first in the user message that they belong to. */
export const getPictures = ({ messages }: CountRequest): NamedPicture[] =>
  messages.flatMap(({ content }, index) => [
    ...content.flatMap((block, place) =>
      block.type === "tool_result"
        ? picturesIn(block.content ?? [], ["messages", index, "content", place, "content"], () => 0)
        : [],
    ),
    ...picturesIn(content, ["messages", index, "content"], (place) => toText(content.slice(0, place)).length),
  ])

const picturesIn = (
  blocks: readonly (Block | ResultBlock)[],
  within: FieldPath,
  at: (place: number) => number,
): NamedPicture[] =>
  blocks.flatMap((block, place) =>
    block.type === "image"
      ? [{ key: block, at: at(place), field: parameterName([...within, place]), url: getAddress(block) }]
      : [],
  )

const getAddress = ({ source }: Extract<Block, { type: "image" }>): string =>
  source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`

/** Tool results become separate messages before the user's other content. */
function toEngineMessages({ role, content }: Message, pictures: PreparedPictures): EngineMessage[] {
  const results = content.flatMap((block): EngineMessage[] =>
    block.type === "tool_result"
      ? [{ role: "tool", toolCallId: block.tool_use_id, content: toResult(block) }]
      : [],
  )
  const toolCalls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [{ toolCallId: block.id, name: block.name, args: JSON.stringify(block.input) }]
      : [],
  )
  const text = toText(content)
  if (role === "assistant") {
    return [{ role, content: text, ...given("toolCalls", toolCalls.length > 0 ? toolCalls : null) }]
  }
  if (role === "system") return [{ role, content: text }]
  const resultBlocks = content.flatMap((block) => (block.type === "tool_result" ? (block.content ?? []) : []))
  const shown = picturesFor([...resultBlocks, ...content], pictures)
  const isEmptyMessage = text === "" && shown.pictures === undefined && results.length > 0
  return [...results, ...(isEmptyMessage ? [] : [{ role, content: text, ...shown }])]
}

const toResult = ({ content, is_error: failed }: Result) =>
  `${failed === true ? "Error: " : ""}${toText(content ?? [])}`

function toText(blocks: readonly (Block | ResultBlock)[]): string {
  return blocks
    .flatMap((block) => {
      if (block.type === "text") return [block.text]
      if (block.type === "tool_reference") return [`The tool ${block.tool_name} can be called from now on.`]
      if (block.type !== "document") return []
      return [[block.title, block.context, block.source.data].filter(Boolean).join("\n")]
    })
    .join("\n")
}

function toFunction({ name, description, input_schema, strict }: Tool) {
  return { name, parameters: input_schema, ...given("description", description), ...given("strict", strict) }
}

function toFunctionChoice(
  choice: NonNullable<CountRequest["tool_choice"]>,
): GenerateRequest["functionChoice"] {
  if (choice.type === "tool") return { name: choice.name }
  return choice.type === "any" ? "required" : choice.type
}
