import { z } from "zod"
import { jsonObject } from "../../../../shared/contract/primitives.ts"
import { type CallOrResult, checkTools, FunctionName, unansweredResults } from "../function-tools.ts"

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

const ResultBlock = z.discriminatedUnion(
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
      content: blocks(ResultBlock).optional(),
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

const Message = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: blocks(UserBlock) }),
    z.object({ role: z.literal("assistant"), content: blocks(AssistantBlock) }),
    z.object({ role: z.literal("system"), content: blocks(TextBlock) }),
  ],
  "must be a message with the role user or assistant",
)

const Tool = z.object({
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
  messages: z.array(Message).min(1, "must hold at least one message").max(10_000),
  system: blocks(TextBlock).nullish(),
  tools: z.array(Tool).max(128, "must hold at most 128 tools").nullish(),
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
    refuse(["messages"], "must end with a message of the user: an answer that is begun can't be gone on with")
  }
  const entries = messages.flatMap(({ content }, index) =>
    content.flatMap((block, place): CallOrResult[] =>
      block.type === "tool_use"
        ? [{ call: block.id }]
        : block.type === "tool_result"
          ? [{ result: block.tool_use_id, path: ["messages", index, "content", place, "tool_use_id"] }]
          : [],
    ),
  )
  for (const path of unansweredResults(entries)) refuse(path, "answers no call of an earlier message")
}
