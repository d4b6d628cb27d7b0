import { z } from "zod"
import { jsonObject } from "../../../../shared/contract/primitives.ts"
import type { EngineMessage, GenerateRequest } from "../../../engines/engine.ts"
import { type NamedPicture, picturesFor, type PreparedPictures } from "../pictures.ts"
import { given } from "../request.ts"
import {
  type CallOrResult,
  checkTools,
  FunctionName,
  unansweredResults,
  parameterName,
} from "../validate-request.ts"

/**
 * Requests in Anthropic's Messages format that the box supports. As with chat completions, an unsupported parameter is an error that names
 * it, and parameters that Anthropic doesn't define are ignored. Cache settings have no effect.
 */

const TextBlock = z.object({ type: z.literal("text"), text: z.string() })

/** A plain-text document; other kinds would have to be parsed first. */
const DocumentBlock = z.object({
  type: z.literal("document"),
  title: z.string().nullish(),
  context: z.string().nullish(),
  source: z.object({
    type: z.literal(
      "text",
      "only documents of plain text are supported: add others to a folder and search it",
    ),
    data: z.string(),
  }),
})

/** An image, which must be contained in the request. */
const ImageBlock = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("base64"), media_type: z.string().max(100), data: z.string() }),
      z.object({ type: z.literal("url"), url: z.string() }),
    ],
    "must be of the type base64: the box keeps no files",
  ),
})

/** Accepts blocks, or a text, which becomes one text block. */
const blocks = <T extends z.ZodType>(block: T) =>
  z.preprocess(
    (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content),
    z.array(block, "must be a text or blocks"),
  )

/** A tool found by the caller's own search. A deferred tool is offered from then on. */
const ToolReference = z.object({ type: z.literal("tool_reference"), tool_name: FunctionName })

const ResultBlockSchema = z.discriminatedUnion(
  "type",
  [TextBlock, DocumentBlock, ImageBlock, ToolReference],
  "must be a text, document, image or tool_reference block",
)

const UserBlock = z.discriminatedUnion(
  "type",
  [
    TextBlock,
    DocumentBlock,
    ImageBlock,
    z.object({
      type: z.literal("tool_result"),
      tool_use_id: z.string().min(1),
      content: blocks(ResultBlockSchema).optional(),
      is_error: z.boolean().nullish(),
    }),
  ],
  "must be a text, document, image or tool_result block",
)

const AssistantBlock = z.discriminatedUnion(
  "type",
  [
    TextBlock,
    z.object({
      type: z.literal("tool_use"),
      id: z.string().min(1),
      name: FunctionName,
      input: jsonObject(),
    }),
    // The model's reasoning isn't sent back to it.
    z.object({ type: z.literal("thinking") }),
    z.object({ type: z.literal("redacted_thinking") }),
  ],
  "must be a text, tool_use or thinking block",
)

const MessageSchema = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: blocks(UserBlock) }),
    z.object({ role: z.literal("assistant"), content: blocks(AssistantBlock) }),
    z.object({ role: z.literal("system"), content: blocks(TextBlock) }),
  ],
  "must be a message with the role user or assistant",
)

const ToolSchema = z.object({
  type: z.literal("custom", "only the caller's own tools are supported").nullish(),
  name: FunctionName,
  description: z.string().nullish(),
  input_schema: jsonObject(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
})

const single = { disable_parallel_tool_use: z.boolean().nullish() }
const ToolChoice = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("none") }),
    z.object({ type: z.literal("auto"), ...single }),
    z.object({ type: z.literal("any"), ...single }),
    z.object({ type: z.literal("tool"), name: FunctionName, ...single }),
  ],
  "must have the type auto, any, tool or none",
)

const Thinking = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("disabled") }),
    z.object({
      type: z.literal("enabled"),
      budget_tokens: z.int().min(1, "must be at least 1").max(1_000_000, "must be at most 1000000"),
    }),
    z.object({ type: z.literal("adaptive") }),
  ],
  "must have the type enabled, adaptive or disabled",
)

const no = "isn't supported by this box; leave it out"

/** The part of a request that the model reads and whose tokens are counted. */
const prompt = {
  model: z.string().nullish(),
  messages: z.array(MessageSchema).min(1, "must contain at least one message").max(10_000),
  system: blocks(TextBlock).nullish(),
  tools: z.array(ToolSchema).max(128, "must hold at most 128 tools").nullish(),
  tool_choice: ToolChoice.nullish(),
  thinking: Thinking.nullish(),
  output_config: z
    .object({
      effort: z
        .enum(["low", "medium", "high", "xhigh", "max"], "must be low, medium, high, xhigh or max")
        .nullish(),
      format: z
        .object({ type: z.literal("json_schema", "must be json_schema"), schema: jsonObject() })
        .nullish(),
    })
    .nullish(),
}
const Prompt = z.object(prompt)
type Prompt = z.output<typeof Prompt>

/** The request body of `count_tokens`. */
export const CountRequest = Prompt.superRefine(check)
export type CountRequest = z.output<typeof CountRequest>

/** Cross-field checks run after each field is validated. */
export const MessageRequest = z
  .object({
    ...prompt,
    max_tokens: z.int("is needed: the most tokens to answer with").min(1, "must be at least 1"),
    stream: z.boolean().nullish(),
    temperature: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").nullish(),
    top_p: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").nullish(),
    top_k: z.null(no).optional(),
    stop_sequences: z.array(z.string().min(1, "must not be empty")).max(16).nullish(),
    service_tier: z.enum(["auto", "standard_only"], no).nullish(),
    container: z.null(no).optional(),
    mcp_servers: z.array(z.never(no)).nullish(),
    metadata: z.object({}).nullish(),
  })
  .superRefine(check)
export type MessageRequest = z.output<typeof MessageRequest>

function check({ messages, tools, tool_choice, output_config }: Prompt, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: "custom", path, message })
  const offered = tools ?? []
  const schema = output_config?.format?.schema
  checkTools(
    {
      tools: offered.map(({ name, input_schema, strict }, index) => ({
        name,
        schema: input_schema,
        strict,
        path: ["tools", index, "input_schema"],
      })),
      named: tool_choice?.type === "tool" ? tool_choice.name : null,
      chooses: tool_choice?.type === "tool" || tool_choice?.type === "any",
      format: schema ? { schema, path: ["output_config", "format", "schema"] } : null,
    },
    refuse,
  )
  if (offered.length > 0 && tool_choice?.type !== "none" && schema) {
    refuse(["output_config", "format"], "can't be combined with tools; leave out one")
  }
  if (messages.at(-1)?.role === "assistant") {
    refuse(["messages"], "must end with a message of the user: answers can't be continued")
  }
  const entries = messages.flatMap(({ content }, index) =>
    content.flatMap((block, position): CallOrResult[] =>
      block.type === "tool_use"
        ? [{ call: block.id }]
        : block.type === "tool_result"
          ? [{ result: block.tool_use_id, path: ["messages", index, "content", position, "tool_use_id"] }]
          : [],
    ),
  )
  for (const path of unansweredResults(entries)) refuse(path, "answers no call of an earlier message")
}

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
  const offeredNames = new Set(
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
  if (choice?.type === "tool") offeredNames.add(choice.name)
  return tools.filter(({ name, defer_loading: isDeferred }) => isDeferred !== true || offeredNames.has(name))
}

type FieldPath = (string | number)[]

/** Returns the images of a request. Those in tool results come first in the user message that they belong to. */
export const getPictures = ({ messages }: CountRequest): NamedPicture[] =>
  messages.flatMap(({ content }, index) => [
    ...content.flatMap((block, position) =>
      block.type === "tool_result"
        ? picturesIn(block.content ?? [], ["messages", index, "content", position, "content"], () => 0)
        : [],
    ),
    ...picturesIn(
      content,
      ["messages", index, "content"],
      (position) => toText(content.slice(0, position)).length,
    ),
  ])

const picturesIn = (
  blocks: readonly (Block | ResultBlock)[],
  within: FieldPath,
  at: (position: number) => number,
): NamedPicture[] =>
  blocks.flatMap((block, position) =>
    block.type === "image"
      ? [
          {
            key: block,
            at: at(position),
            field: parameterName([...within, position]),
            url: getAddress(block),
          },
        ]
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
