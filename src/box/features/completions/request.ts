import { z } from "zod"
import { jsonObject, record } from "../../../shared/contract/primitives.ts"
import type { EngineMessage, GenerateRequest } from "../../engines/engine.ts"
import {
  PictureDetail,
  userContent,
  type NamedPicture,
  namedPictures,
  picturesFor,
  type PreparedPictures,
} from "./pictures.ts"
import { type CallOrResult, checkTools, FunctionName, unansweredResults } from "./validate-request.ts"

/**
 * Chat completions requests that the box supports, within OpenAI's ranges. An unsupported OpenAI parameter is an error
 * that names it, because an answer that silently ignores it would be wrong. Parameters that OpenAI doesn't define are ignored, as in every
 * body.
 */

const TextOnly = z
  .union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)])
  .superRefine((content, context) => {
    if (typeof content === "string") return
    for (const [index, part] of content.entries()) {
      if (part.type === "text" && typeof part["text"] === "string") continue
      const message =
        part.type === "image_url"
          ? "only messages of the user may hold pictures"
          : "only text parts are supported"
      context.addIssue({ code: "custom", path: [index, "type"], message })
    }
  })
  .transform((content) =>
    typeof content === "string" ? content : content.map((part) => String(part["text"])).join(""),
  )

const UserPart = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), text: z.string() }),
    z
      .object({
        type: z.literal("image_url"),
        image_url: z.object({ url: z.string().min(1, "must not be empty"), detail: PictureDetail }),
      })
      .transform(({ image_url: { url } }) => ({ url })),
  ],
  "only text and image_url parts are supported",
)

const ToolCall = z.object({
  id: z.string().min(1),
  type: z.literal("function", "only function calls are supported"),
  function: z.object({ name: FunctionName, arguments: z.string() }),
})

const MessageSchema = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.enum(["system", "developer"]), content: TextOnly }),
    z.object({ role: z.literal("user"), content: userContent(UserPart, "text") }),
    z.object({
      role: z.literal("assistant"),
      content: TextOnly.nullish(),
      tool_calls: z.array(ToolCall).min(1).nullish(),
      function_call: z.null("isn't supported: use tool_calls").optional(),
      audio: z.null("isn't supported").optional(),
    }),
    z.object({ role: z.literal("tool"), content: TextOnly, tool_call_id: z.string().min(1) }),
  ],
  "must be a message with the role system, developer, user, assistant or tool",
)

const ToolSchema = z.object({
  type: z.literal("function", "only function tools are supported"),
  function: z.object({
    name: FunctionName,
    description: z.string().nullish(),
    parameters: jsonObject().nullish(),
    strict: z.boolean().nullish(),
  }),
})

const ToolChoice = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.object({ type: z.literal("function"), function: z.object({ name: FunctionName }) }),
  ],
  'must be "none", "auto", "required" or {"type": "function", "function": {"name": …}}',
)

const ResponseFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({
      type: z.literal("json_schema"),
      json_schema: z.object({
        name: FunctionName,
        description: z.string().nullish(),
        schema: jsonObject().nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ],
  "must have the type text, json_object or json_schema",
)

const Penalty = z.number().min(-2, "must be from -2 to 2").max(2, "must be from -2 to 2").nullish()
const TokenLimit = z.int().min(1, "must be at least 1").nullish()
const Stop = z.string().min(1, "must not be empty")
const no = "isn't supported by this box; leave it out"
const Refused = z.null(no).optional()

/** Cross-field checks run after each field is validated. */
export const CompletionRequest = z
  .object({
    model: z.string().nullish(),
    messages: z.array(MessageSchema).min(1, "must contain at least one message").max(10_000),
    stream: z.boolean().nullish(),
    stream_options: z
      .object({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
      .nullish(),
    temperature: z.number().min(0, "must be from 0 to 2").max(2, "must be from 0 to 2").nullish(),
    top_p: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").nullish(),
    max_tokens: TokenLimit,
    max_completion_tokens: TokenLimit,
    stop: z.union([Stop, z.array(Stop).min(1).max(4)], "must be a text or up to four texts").nullish(),
    seed: z.int().nullish(),
    presence_penalty: Penalty,
    frequency_penalty: Penalty,
    response_format: ResponseFormat.nullish(),
    tools: z.array(ToolSchema).max(128, "must hold at most 128 tools").nullish(),
    tool_choice: ToolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    reasoning_effort: z
      .enum(["none", "minimal", "low", "medium", "high"], "must be none, minimal, low, medium or high")
      .nullish(),

    // Only values without effect are allowed.
    n: z.literal(1, "must be 1: this box writes one answer for each request").nullish(),
    logprobs: z.literal(false, no).nullish(),
    top_logprobs: z.literal(0, no).nullish(),
    logit_bias: record(z.never(no)).nullish(),
    modalities: z.array(z.literal("text", "only text is supported")).nullish(),
    store: z.literal(false, "must be false: the box never stores these requests").nullish(),
    service_tier: z.enum(["auto", "default"], no).nullish(),

    audio: Refused,
    function_call: z.null("isn't supported: use tool_choice").optional(),
    functions: z.null("isn't supported: use tools").optional(),
    moderation: Refused,
    prediction: Refused,
    verbosity: Refused,
    web_search_options: Refused,

    // OpenAI's bookkeeping fields; they don't affect an answer.
    user: z.string().nullish(),
    metadata: record(z.string()).nullish(),
    safety_identifier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    prompt_cache_options: z.object({}).nullish(),
    prompt_cache_retention: z.string().nullish(),
  })
  .superRefine(({ messages, stream, stream_options, tools, tool_choice, response_format }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message })
    if (stream_options && stream !== true) refuse(["stream_options"], "is only allowed with stream: true")
    const offered = tools ?? []
    checkTools(
      {
        tools: offered.map((tool, index) => ({
          name: tool.function.name,
          schema: tool.function.parameters,
          strict: tool.function.strict,
          path: ["tools", index, "function", "parameters"],
        })),
        named: typeof tool_choice === "object" && tool_choice ? tool_choice.function.name : null,
        chooses: Boolean(tool_choice) && tool_choice !== "none",
        format:
          response_format?.type === "json_schema"
            ? {
                schema: response_format.json_schema.schema,
                path: ["response_format", "json_schema", "schema"],
              }
            : null,
      },
      refuse,
    )
    const offersTools = offered.length > 0 && tool_choice !== "none"
    if (offersTools && response_format && response_format.type !== "text") {
      refuse(["response_format"], "can't be combined with tools; leave out one")
    }
    const entries = messages.flatMap((message, index): CallOrResult[] =>
      message.role === "assistant"
        ? (message.tool_calls ?? []).map(({ id }) => ({ call: id }))
        : message.role === "tool"
          ? [{ result: message.tool_call_id, path: ["messages", index, "tool_call_id"] }]
          : [],
    )
    for (const path of unansweredResults(entries)) refuse(path, "answers no call of an earlier message")
  })
export type CompletionRequest = z.output<typeof CompletionRequest>

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
