import { z } from "zod"
import { jsonObject, record } from "../../../../shared/contract/primitives.ts"
import { getFunctions, Tools } from "./tools.ts"
import { PictureDetail, userContent } from "../pictures.ts"
import { type CallOrResult, checkTools, FunctionName, unansweredResults } from "../function-tools.ts"

/**
 * Requests in OpenAI's Responses format that the box supports. As with chat completions, an unsupported parameter is an error that names
 * it, and parameters that OpenAI doesn't define are ignored. Tools other than functions are left out (`tools.ts`).
 */

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
