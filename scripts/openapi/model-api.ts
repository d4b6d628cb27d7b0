import { z } from "zod"

/**
 * Bodies of the endpoints under `/api/v1` for the API reference, in the formats of OpenAI and Anthropic. The server checks requests with
 * its own schemas (src/box/features/completions), whose errors name the parameters; a test compares both.
 */
export interface ModelApiBodies {
  request: z.ZodType
  answer: z.ZodType
  /** An event of the stream with `stream: true`. */
  event?: z.ZodType
}

const named = <T extends z.ZodType>(id: string, schema: T, description: string) =>
  schema.meta({ id, description })

const ToolCall = named(
  "ChatCompletionToolCall",
  z.object({
    id: z.string().describe("Identifier of the call, for the message with its result."),
    type: z.literal("function").describe("Always `function`."),
    function: z
      .object({
        name: z.string().describe("Name of the function."),
        arguments: z.string().describe("Arguments as JSON text."),
      })
      .describe("The function that the model calls."),
  }),
  "A function call of the model.",
)

const TextPart = z.object({
  type: z.literal("text").describe("A part with text."),
  text: z.string().describe("The text."),
})
const ImagePart = z.object({
  type: z.literal("image_url").describe("An image, for models that can see."),
  image_url: z
    .object({
      url: z.string().describe("Image as a data URL (PNG, JPEG, GIF or WebP)."),
      detail: z.enum(["auto", "low", "high"]).optional().describe("Accepted and ignored."),
    })
    .describe("The image."),
})

const schemaObject = (description: string) => z.record(z.string(), z.unknown()).describe(description)

const FunctionTool = named(
  "ChatCompletionTool",
  z.object({
    type: z.literal("function").describe("Always `function`."),
    function: z
      .object({
        name: z.string().max(64).describe("Name of the function."),
        description: z.string().optional().describe("What the function does, for the model."),
        parameters: schemaObject("JSON Schema of the arguments.").optional(),
        strict: z.boolean().optional().describe("true makes the arguments follow the schema exactly."),
      })
      .describe("The function."),
  }),
  "A function that the model may call.",
)

const ChatMessage = named(
  "ChatCompletionMessage",
  z.object({
    role: z
      .enum(["system", "developer", "user", "assistant", "tool"])
      .describe("Author of the message. `tool` carries the result of a call."),
    content: z
      .union([z.string(), z.array(z.union([TextPart, ImagePart]))])
      .nullish()
      .describe("Text, or parts. Images are allowed in messages of the user only."),
    tool_calls: z.array(ToolCall).nullish().describe("Calls of an assistant message."),
    tool_call_id: z.string().optional().describe("Call that a `tool` message answers."),
  }),
  "A message of the chat.",
)

const stop = z
  .union([z.string(), z.array(z.string()).max(4)])
  .nullish()
  .describe("Up to 4 texts at which the answer stops.")

const ResponseFormat = z
  .union([
    z.object({ type: z.literal("text").describe("Free text.") }),
    z.object({ type: z.literal("json_object").describe("Any JSON object.") }),
    z.object({
      type: z.literal("json_schema").describe("JSON that follows a schema."),
      json_schema: z
        .object({
          name: z.string().max(64).describe("Name of the schema."),
          description: z.string().optional().describe("What the JSON is for."),
          schema: schemaObject("JSON Schema of the answer.").optional(),
          strict: z.boolean().optional().describe("true makes the answer follow the schema exactly."),
        })
        .describe("The schema."),
    }),
  ])
  .nullish()
  .describe("Form of the answer. Default: free text.")

const model = z
  .string()
  .nullish()
  .describe(
    "Model to use, as `GET /api/v1/models` lists it. Unknown and omitted names mean the server's model.",
  )
const stream = z.boolean().nullish().describe("true streams the answer as Server-Sent Events. Default false.")
const temperature = (max: number) =>
  z.number().min(0).max(max).nullish().describe("Higher values give more varied answers.")
const topP = z.number().min(0).max(1).nullish().describe("Nucleus sampling.")

const CompletionRequest = named(
  "ChatCompletionRequest",
  z.object({
    model,
    messages: z.array(ChatMessage).min(1).max(10_000).describe("Messages in chronological order."),
    stream,
    stream_options: z
      .object({
        include_usage: z.boolean().nullish().describe("true adds a last chunk with `usage`."),
      })
      .nullish()
      .describe("Options of the stream. Only with `stream`."),
    temperature: temperature(2),
    top_p: topP,
    max_tokens: z.int().min(1).max(1_000_000).nullish().describe("Maximum tokens of the answer."),
    max_completion_tokens: z.int().min(1).max(1_000_000).nullish().describe("The same as `max_tokens`."),
    stop,
    seed: z.int32().nullish().describe("Seed for answers that can be repeated."),
    presence_penalty: z.number().min(-2).max(2).nullish().describe("Discourages topics that occurred."),
    frequency_penalty: z.number().min(-2).max(2).nullish().describe("Discourages words that occurred."),
    response_format: ResponseFormat,
    tools: z.array(FunctionTool).max(128).nullish().describe("Functions that the model may call."),
    tool_choice: z
      .union([
        z.enum(["none", "auto", "required"]),
        z.object({
          type: z.literal("function").describe("Always `function`."),
          function: z
            .object({ name: z.string().describe("Name of the function.") })
            .describe("The function."),
        }),
      ])
      .nullish()
      .describe("Whether the model must call a function. Default `auto`."),
    reasoning_effort: z
      .enum(["none", "minimal", "low", "medium", "high"])
      .nullish()
      .describe("How much a reasoning model reasons before it answers."),
  }),
  "A request in OpenAI's chat-completions format. Parameters of OpenAI that the server doesn't support are refused with 400 if they would change the answer.",
)

const CompletionUsage = named(
  "ChatCompletionUsage",
  z.object({
    prompt_tokens: z.int32().describe("Tokens of the prompt."),
    completion_tokens: z.int32().describe("Tokens of the answer."),
    total_tokens: z.int32().describe("Sum of both."),
    prompt_tokens_details: z
      .object({
        cached_tokens: z.int32().describe("Tokens of the prompt that didn't have to be read again."),
      })
      .describe("More about the prompt."),
  }),
  "Tokens of a request.",
)

const finishReason = z
  .enum(["stop", "length", "tool_calls", "content_filter"])
  .nullable()
  .describe("Why the answer ended; null in chunks before the last.")
const head = {
  id: z.string().describe("Identifier of the completion."),
  created: z.int().min(0).max(4_102_444_800).describe("When it was created, in seconds since 1970."),
  model: z.string().describe("Model that wrote the answer."),
}
const index = z.int32().describe("Position in the list, from 0.")

const Completion = named(
  "ChatCompletion",
  z.object({
    ...head,
    object: z.literal("chat.completion").describe("Always `chat.completion`."),
    choices: z
      .array(
        z.object({
          index,
          message: z
            .object({
              role: z.literal("assistant").describe("Always `assistant`."),
              content: z.string().nullable().describe("Text of the answer; null if there are only calls."),
              refusal: z.null().describe("Always null."),
              reasoning_content: z.string().optional().describe("Reasoning of the model."),
              tool_calls: z.array(ToolCall).optional().describe("Function calls of the model."),
            })
            .describe("The answer."),
          logprobs: z.null().describe("Always null."),
          finish_reason: finishReason,
        }),
      )
      .describe("The answer, as a list with one entry."),
    usage: CompletionUsage.optional(),
  }),
  "A complete answer in OpenAI's chat-completions format.",
)

const CompletionChunk = named(
  "ChatCompletionChunk",
  z.object({
    ...head,
    object: z.literal("chat.completion.chunk").describe("Always `chat.completion.chunk`."),
    choices: z
      .array(
        z.object({
          index,
          delta: z
            .object({
              role: z.literal("assistant").optional().describe("In the first chunk."),
              content: z.string().optional().describe("Text to append to the answer."),
              refusal: z.null().optional().describe("Always null."),
              reasoning_content: z.string().optional().describe("Text to append to the reasoning."),
              tool_calls: z
                .array(ToolCall.extend({ index }))
                .optional()
                .describe("Function calls of the model."),
            })
            .describe("What this chunk adds."),
          logprobs: z.null().describe("Always null."),
          finish_reason: finishReason,
        }),
      )
      .describe("What this chunk adds, as a list with one entry. Empty in the chunk with `usage`."),
    usage: CompletionUsage.nullish().describe(
      "Tokens of the request, in the last chunk if `include_usage` is true.",
    ),
  }),
  "A chunk of a streamed answer. The stream ends with `data: [DONE]`.",
)

const ResponseItem = named(
  "ResponseInputItem",
  z.looseObject({
    type: z
      .string()
      .optional()
      .describe("`message` (the default), `function_call`, `function_call_output` or `reasoning`."),
    role: z.enum(["system", "developer", "user", "assistant"]).optional().describe("Author of a message."),
    content: z
      .union([
        z.string(),
        z.array(
          z.looseObject({ type: z.string().describe("`input_text`, `input_image` or `output_text`.") }),
        ),
      ])
      .optional()
      .describe("Text of a message, or its parts."),
    call_id: z.string().optional().describe("Call that the item belongs to."),
    name: z.string().optional().describe("Function of a `function_call`."),
    arguments: z.string().optional().describe("Arguments of a `function_call` as JSON text."),
    output: z.unknown().optional().describe("Result in a `function_call_output`."),
  }),
  "An item of the input.",
)

const ResponsesRequest = named(
  "ResponsesRequest",
  z.object({
    model,
    input: z
      .union([z.string(), z.array(ResponseItem).min(1).max(10_000)])
      .describe("The question, or the whole history. Nothing is stored between requests."),
    instructions: z.string().nullish().describe("System prompt."),
    stream,
    temperature: temperature(2),
    top_p: topP,
    max_output_tokens: z.int().min(1).max(1_000_000).nullish().describe("Maximum tokens of the answer."),
    reasoning: z
      .object({
        effort: z
          .enum(["none", "minimal", "low", "medium", "high"])
          .nullish()
          .describe("How much a reasoning model reasons before it answers."),
      })
      .nullish()
      .describe("Options of reasoning models."),
    text: z
      .object({
        format: z
          .looseObject({
            type: z.enum(["text", "json_object", "json_schema"]).describe("Form of the answer."),
          })
          .nullish()
          .describe("Form of the answer; with `json_schema`, also `name` and `schema`."),
      })
      .nullish()
      .describe("Options of the text."),
    tools: z
      .array(
        z.looseObject({
          type: z.string().describe("`function`. Other tools are left out."),
          name: z.string().optional().describe("Name of the function."),
          description: z.string().nullish().describe("What the function does, for the model."),
          parameters: z.record(z.string(), z.unknown()).nullish().describe("JSON Schema of the arguments."),
        }),
      )
      .nullish()
      .describe("Functions that the model may call."),
    tool_choice: z
      .union([
        z.enum(["none", "auto", "required"]),
        z.object({
          type: z.literal("function").describe("Always `function`."),
          name: z.string().describe("Name of the function."),
        }),
      ])
      .nullish()
      .describe("Whether the model must call a function. Default `auto`."),
    truncation: z
      .enum(["auto", "disabled"])
      .nullish()
      .describe(
        "`auto` drops the oldest items if the input is too long. Default `disabled`: that is an error.",
      ),
    store: z.literal(false).nullish().describe("Must be false if it is given."),
  }),
  "A request in the format of OpenAI's Responses API.",
)

const OutputItem = z.looseObject({
  id: z.string().describe("Identifier of the item."),
  type: z.enum(["message", "reasoning", "function_call"]).describe("Kind of item."),
  status: z.enum(["in_progress", "completed", "incomplete"]).describe("State of the item."),
})

const ResponseUsage = z
  .object({
    input_tokens: z.int32().describe("Tokens of the input."),
    input_tokens_details: z
      .object({
        cached_tokens: z.int32().describe("Tokens that didn't have to be read again."),
        cache_write_tokens: z.int32().describe("Always 0."),
      })
      .describe("More about the input."),
    output_tokens: z.int32().describe("Tokens of the answer, including reasoning."),
    output_tokens_details: z
      .object({ reasoning_tokens: z.int32().describe("Always 0: they aren't counted separately.") })
      .describe("More about the answer."),
    total_tokens: z.int32().describe("Sum of both."),
  })
  .nullable()
  .describe("Tokens of the request; null until the end.")

const ResponseBody = named(
  "Response",
  z.looseObject({
    id: z.string().describe("Identifier of the response. It can't be used later, because nothing is stored."),
    object: z.literal("response").describe("Always `response`."),
    created_at: z.int().min(0).max(4_102_444_800).describe("When it was created, in seconds since 1970."),
    model: z.string().describe("Model that wrote the answer."),
    status: z.enum(["in_progress", "completed", "incomplete", "failed"]).describe("State of the answer."),
    error: z
      .object({
        code: z.string().describe("Error code for programs."),
        message: z.string().describe("What happened, in a sentence for people."),
      })
      .nullable()
      .describe("Why the answer failed; null if it didn't."),
    incomplete_details: z
      .object({ reason: z.enum(["max_output_tokens", "content_filter"]).describe("Why it is incomplete.") })
      .nullable()
      .describe("Why the answer is incomplete; null if it is complete."),
    output: z.array(OutputItem).describe("Items of the answer: messages, reasoning and function calls."),
    usage: ResponseUsage,
  }),
  "An answer in the format of OpenAI's Responses API. It also repeats the options of the request.",
)

const ResponseEvent = named(
  "ResponseEvent",
  z.looseObject({
    type: z
      .string()
      .describe("Type of the event, such as `response.output_text.delta`, `response.completed` or `error`."),
    sequence_number: z.int32().describe("Number of the event, from 0."),
    delta: z.string().optional().describe("Text to append, in events that end with `.delta`."),
    item_id: z.string().optional().describe("Item that the event belongs to."),
    output_index: z.int32().optional().describe("Position of that item in `output`."),
    item: OutputItem.optional().describe("The item, in `response.output_item.*`."),
    response: ResponseBody.optional().describe("The response so far, in `response.created` and at the end."),
  }),
  "An event of a streamed answer. The last one is `response.completed`, `response.incomplete` or `error`.",
)

const MessageBlock = named(
  "MessageBlock",
  z.looseObject({
    type: z.string().describe("`text`, `image`, `document`, `thinking`, `tool_use` or `tool_result`."),
    text: z.string().optional().describe("The text, in `text`."),
    id: z.string().optional().describe("Identifier of the call, in `tool_use`."),
    name: z.string().optional().describe("Name of the tool, in `tool_use`."),
    input: z.unknown().optional().describe("Arguments, in `tool_use`."),
    tool_use_id: z.string().optional().describe("Call that a `tool_result` answers."),
    content: z.unknown().optional().describe("Result, in `tool_result`: text or blocks."),
  }),
  "A block of a message in Anthropic's format.",
)

const promptFields = {
  model,
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant", "system"]).describe("Author of the message."),
        content: z.union([z.string(), z.array(MessageBlock)]).describe("Text, or blocks."),
      }),
    )
    .min(1)
    .max(10_000)
    .describe("Messages in chronological order."),
  system: z
    .union([z.string(), z.array(MessageBlock)])
    .nullish()
    .describe("System prompt."),
  tools: z
    .array(
      z.looseObject({
        name: z.string().describe("Name of the tool."),
        description: z.string().nullish().describe("What the tool does, for the model."),
        input_schema: schemaObject("JSON Schema of the arguments.").optional(),
      }),
    )
    .max(128)
    .nullish()
    .describe("Tools that the model may call."),
  tool_choice: z
    .looseObject({
      type: z.enum(["none", "auto", "any", "tool"]).describe("Whether the model must call a tool."),
      name: z.string().optional().describe("Tool to call, for `tool`."),
    })
    .nullish()
    .describe("Whether the model must call a tool. Default `auto`."),
  thinking: z
    .looseObject({ type: z.enum(["disabled", "enabled", "adaptive"]).describe("Whether the model reasons.") })
    .nullish()
    .describe("Reasoning before the answer."),
}

const CountRequest = named(
  "MessageCountRequest",
  z.object(promptFields),
  "The prompt of a request in Anthropic's Messages format.",
)

const MessageRequest = named(
  "MessageRequest",
  z.object({
    ...promptFields,
    max_tokens: z.int().min(1).max(1_000_000).describe("Maximum tokens of the answer."),
    stream,
    temperature: temperature(1),
    top_p: topP,
    stop_sequences: z.array(z.string()).max(16).nullish().describe("Texts at which the answer stops."),
  }),
  "A request in Anthropic's Messages format.",
)

const MessageUsage = z.object({
  input_tokens: z.int32().describe("Tokens of the prompt that had to be read."),
  cache_creation_input_tokens: z.int32().describe("Always 0."),
  cache_read_input_tokens: z.int32().describe("Tokens of the prompt that didn't have to be read again."),
  output_tokens: z.int32().describe("Tokens of the answer."),
  service_tier: z.literal("standard").describe("Always `standard`."),
})

const stopFields = {
  stop_reason: z
    .enum(["end_turn", "max_tokens", "tool_use", "stop_sequence", "refusal"])
    .nullable()
    .describe("Why the answer ended; null until then."),
  stop_sequence: z.string().nullable().describe("Text at which the answer stopped; null if it didn't."),
}

const Message = named(
  "MessageAnswer",
  z.object({
    id: z.string().describe("Identifier of the message."),
    type: z.literal("message").describe("Always `message`."),
    role: z.literal("assistant").describe("Always `assistant`."),
    model: z.string().describe("Model that wrote the answer."),
    content: z.array(MessageBlock).describe("Blocks of the answer."),
    ...stopFields,
    usage: MessageUsage.describe("Tokens of the request."),
  }),
  "A complete answer in Anthropic's Messages format.",
)

const MessageEvent = named(
  "MessageEvent",
  z.looseObject({
    type: z
      .enum([
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "error",
      ])
      .describe("Type of the event."),
    index: z.int32().optional().describe("Position of the block, in `content_block_*`."),
    message: Message.optional().describe("The empty message, in `message_start`."),
    content_block: MessageBlock.optional().describe("The empty block, in `content_block_start`."),
    delta: z
      .looseObject({ text: z.string().optional().describe("Text to append, in a `text_delta`.") })
      .optional()
      .describe("What the event adds."),
    usage: MessageUsage.optional().describe("Tokens of the request, in `message_delta`."),
  }),
  "An event of a streamed answer. The last one is `message_stop` or `error`.",
)

const EmbeddingRequest = named(
  "EmbeddingRequest",
  z.object({
    model: z.string().nullish().describe("Ignored: the server's embedding model is used."),
    input: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048)])
      .describe("A text, or up to 2,048 texts."),
    encoding_format: z
      .enum(["float", "base64"])
      .nullish()
      .describe("Form of the vectors. `base64` contains 32-bit floats. Default `float`."),
  }),
  "A request in the format of OpenAI's embeddings.",
)

const EmbeddingList = named(
  "EmbeddingList",
  z.object({
    object: z.literal("list").describe("Always `list`."),
    model: z.string().describe("Embedding model."),
    data: z
      .array(
        z.object({
          object: z.literal("embedding").describe("Always `embedding`."),
          index,
          embedding: z
            .union([z.array(z.number()), z.string()])
            .describe("The vector: numbers, or base64 text."),
        }),
      )
      .describe("One vector for each text, in order."),
    usage: z
      .object({
        prompt_tokens: z.int32().describe("Estimated tokens of the texts."),
        total_tokens: z.int32().describe("The same."),
      })
      .describe("Tokens of the request."),
  }),
  "Embeddings in OpenAI's format.",
)

const TokenCount = z.object({ input_tokens: z.int32().describe("Tokens of the prompt.") })

/** By operation id. */
export const modelApi: Readonly<Record<string, ModelApiBodies>> = {
  "completions.create": { request: CompletionRequest, answer: Completion, event: CompletionChunk },
  "completions.respond": { request: ResponsesRequest, answer: ResponseBody, event: ResponseEvent },
  "completions.message": { request: MessageRequest, answer: Message, event: MessageEvent },
  "completions.countTokens": { request: CountRequest, answer: TokenCount },
  "completions.embeddings": { request: EmbeddingRequest, answer: EmbeddingList },
}
