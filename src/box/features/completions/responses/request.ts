import { z } from "zod"
import { jsonObject, record } from "../../../../shared/contract/primitives.ts"
import type { EngineFunction, EngineMessage, GenerateRequest } from "../../../engines/engine.ts"
import { functionName } from "../../../tools/mcp/definitions.ts"
import {
  PictureDetail,
  userContent,
  type NamedPicture,
  namedPictures,
  picturesFor,
  type PreparedPictures,
} from "../pictures.ts"
import { given } from "../request.ts"
import { FunctionName, type CallOrResult, checkTools, unansweredResults } from "../validate-request.ts"

/** The tools of a Responses request: functions, function groups, and others that only OpenAI or its own programs can run. */

const FunctionTool = z.object({
  type: z.literal("function", "only function tools are supported"),
  name: FunctionName,
  description: z.string().nullish(),
  parameters: jsonObject().nullish(),
  strict: z.boolean().nullish(),
})

const Other = z.object({ type: z.literal("other") })

/** Tools other than functions aren't offered to any model: clients send them next to their own and can do without them. */
const otherThan = <T extends z.ZodType>(types: readonly string[], tool: T) =>
  z.preprocess(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      "type" in value &&
      typeof value.type === "string" &&
      !types.includes(value.type)
        ? { type: "other" }
        : value,
    tool,
  )

const unsupported = "only function tools are supported"
const maxTools = 128
const tooMany = `must hold at most ${maxTools} tools`

const Group = z.object({
  type: z.literal("namespace"),
  name: FunctionName,
  description: z.string().nullish(),
  tools: z
    .array(otherThan(["function"], z.discriminatedUnion("type", [FunctionTool, Other], unsupported)))
    .max(maxTools, tooMany),
})

const Tools = z
  .array(
    otherThan(
      ["function", "namespace"],
      z.discriminatedUnion("type", [FunctionTool, Group, Other], unsupported),
    ),
  )
  .max(maxTools, tooMany)
type Tools = z.output<typeof Tools>

/** A function as it is offered to the model. */
interface OfferedFunction {
  /** The name that the model uses. */
  name: string
  /** The name that the caller uses, with the group if there is one. */
  called: { name: string; namespace?: string }
  offered: EngineFunction
  /** Its path in the request. */
  path: (string | number)[]
}

/** Returns all functions of a request. A group's description is added to its first function. */
export function getFunctions(tools: Tools | null | undefined): OfferedFunction[] {
  return (tools ?? []).flatMap((tool, index) => {
    const path = ["tools", index]
    if (tool.type === "other") return []
    if (tool.type === "function") return [toOffered(tool, path)]
    return tool.tools
      .flatMap((each, place) =>
        each.type === "function" ? [toOffered(each, [...path, "tools", place], tool.name)] : [],
      )
      .map((each, place) => (place === 0 && tool.description ? introduced(each, tool.description) : each))
  })
}

/** Returns the model's name for a function in a group. */
const nameInGroup = (name: string, namespace: string | null | undefined): string =>
  namespace ? functionName(namespace, name) : name

/** Returns the tools that the model was offered, in the format of the request. */
export const omitOtherTools = (tools: Tools): Tools => tools.filter(({ type }) => type !== "other")

function toOffered(
  { name, description, parameters, strict }: z.output<typeof FunctionTool>,
  path: (string | number)[],
  namespace?: string,
): OfferedFunction {
  const offered = nameInGroup(name, namespace)
  return {
    name: offered,
    called: { name, ...given("namespace", namespace) },
    path,
    offered: {
      name: offered,
      ...given("description", description),
      ...given("parameters", parameters),
      ...given("strict", strict),
    },
  }
}

function introduced(first: OfferedFunction, words: string): OfferedFunction {
  const { description } = first.offered
  return {
    ...first,
    offered: { ...first.offered, description: description ? `${words}\n\n${description}` : words },
  }
}

const textTypes = new Set(["input_text", "output_text"])

const Text = z
  .union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)], "must be a text or parts")
  .superRefine((content, context) => {
    if (typeof content === "string") return
    for (const [index, part] of content.entries()) {
      if (textTypes.has(part.type) && typeof part["text"] === "string") continue
      context.addIssue({ code: "custom", path: [index, "type"], message: "only text parts are supported" })
    }
  })
  .transform((content) =>
    typeof content === "string" ? content : content.map((part) => String(part["text"])).join(""),
  )

const UserPart = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.enum(["input_text", "output_text"]), text: z.string() }),
    z
      .object({
        type: z.literal("input_image"),
        image_url: z.string().nullish(),
        file_id: z.null("can't be used: the box keeps no files; give image_url").optional(),
        detail: PictureDetail,
      })
      .transform(({ image_url }) => ({ url: image_url ?? "" })),
  ],
  "only input_text and input_image parts are supported",
)

const Message = z.discriminatedUnion("role", [
  z.object({
    type: z.literal("message"),
    role: z.literal("user"),
    content: userContent(UserPart, "input_text"),
  }),
  z.object({
    type: z.literal("message"),
    role: z.enum(["assistant", "system", "developer"]),
    content: Text,
  }),
])

const Item = z.discriminatedUnion(
  "type",
  [
    Message,
    z.object({
      type: z.literal("function_call"),
      call_id: z.string().min(1),
      name: FunctionName,
      namespace: FunctionName.nullish(),
      arguments: z.string(),
    }),
    z.object({ type: z.literal("function_call_output"), call_id: z.string().min(1), output: Text }),
    // The model's reasoning isn't sent back to it.
    z.object({ type: z.literal("reasoning") }),
  ],
  "must be a message, function_call, function_call_output or reasoning: the box keeps no items to refer to",
)

/** The type of a message is optional. */
const InputItem = z.preprocess(
  (item) =>
    typeof item === "object" && item !== null && "role" in item && !("type" in item)
      ? { ...item, type: "message" }
      : item,
  Item,
)

const ToolChoice = z.union(
  [z.enum(["none", "auto", "required"]), z.object({ type: z.literal("function"), name: FunctionName })],
  'must be "none", "auto", "required" or {"type": "function", "name": …}',
)

const Format = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({
      type: z.literal("json_schema"),
      name: FunctionName,
      description: z.string().nullish(),
      schema: jsonObject(),
      strict: z.boolean().nullish(),
    }),
  ],
  "must have the type text, json_object or json_schema",
)

const no = "isn't supported by this box; leave it out"
const Refused = z.null(no).optional()
const kept = "the box never stores these requests; send the whole conversation as input"

/** Cross-field checks run after each field is validated. */
/**
 * A request in OpenAI's Responses format. As with chat completions, an unsupported parameter is an error that names it, and parameters that
 * OpenAI doesn't define are ignored. Tools other than functions are left out (`omitOtherTools`).
 */
export const ResponseRequest = z
  .object({
    model: z.string().nullish(),
    input: z.preprocess(
      (input) => (typeof input === "string" ? [{ role: "user", content: input }] : input),
      z
        .array(InputItem, "must be a text or a list of items")
        .min(1, "must hold at least one item")
        .max(10_000),
    ),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_obfuscation: z.boolean().nullish() }).nullish(),
    temperature: z.number().min(0, "must be from 0 to 2").max(2, "must be from 0 to 2").nullish(),
    top_p: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").nullish(),
    max_output_tokens: z.int().min(1, "must be at least 1").nullish(),
    reasoning: z
      .object({
        effort: z
          .enum(["none", "minimal", "low", "medium", "high"], "must be none, minimal, low, medium or high")
          .nullish(),
      })
      .nullish(),
    text: z.object({ format: Format.nullish(), verbosity: z.literal("medium", no).nullish() }).nullish(),
    tools: Tools.nullish(),
    tool_choice: ToolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    truncation: z.enum(["auto", "disabled"], "must be auto or disabled").nullish(),
    include: z
      .array(z.string().refine((name) => name !== "message.output_text.logprobs", no))
      .max(100)
      .nullish(),

    // Only values without effect are allowed.
    store: z.literal(false, `must be false: ${kept}`).nullish(),
    background: z.literal(false, "must be false: the box answers while the caller waits").nullish(),
    top_logprobs: z.literal(0, no).nullish(),
    service_tier: z.enum(["auto", "default"], no).nullish(),

    previous_response_id: z.null(`can't be used: ${kept}`).optional(),
    conversation: z.null(`can't be used: ${kept}`).optional(),
    prompt: Refused,
    context_management: Refused,
    moderation: Refused,

    // OpenAI's bookkeeping fields, and fields for tools that the box doesn't offer; they don't affect an answer.
    user: z.string().nullish(),
    metadata: record(z.string()).nullish(),
    safety_identifier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    prompt_cache_options: z.object({}).nullish(),
    prompt_cache_retention: z.string().nullish(),
    max_tool_calls: z.int().nullish(),
  })
  .superRefine(({ input, tools, tool_choice, text }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message })
    const offered = getFunctions(tools)
    if (offered.length === 0 && tools && tools.length > 0)
      refuse(["tools", 0, "type"], "only function tools are supported, and there is none")
    const format = text?.format
    checkTools(
      {
        tools: offered.map(({ name, path, offered: { parameters, strict } }) => ({
          name,
          schema: parameters,
          strict,
          path: [...path, "parameters"],
        })),
        named: typeof tool_choice === "object" && tool_choice ? tool_choice.name : null,
        chooses: tool_choice === "required" || (typeof tool_choice === "object" && tool_choice !== null),
        format:
          format?.type === "json_schema"
            ? { schema: format.schema, path: ["text", "format", "schema"] }
            : null,
      },
      refuse,
    )
    if (offered.length > 0 && tool_choice !== "none" && format && format.type !== "text") {
      refuse(["text", "format"], "can't be combined with tools; leave out one")
    }
    const entries = input.flatMap((item, index): CallOrResult[] =>
      item.type === "function_call"
        ? [{ call: item.call_id }]
        : item.type === "function_call_output"
          ? [{ result: item.call_id, path: ["input", index, "call_id"] }]
          : [],
    )
    for (const path of unansweredResults(entries)) refuse(path, "answers no call of an earlier item")
  })
export type ResponseRequest = z.output<typeof ResponseRequest>

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
