import { z } from "zod"
import { json, stream } from "./endpoint.ts"

/** Maximum size of a body in bytes, because requests contain images. */
const maxPictureBodyBytes = 32_000_000

export const completions = {
  models: json({
    method: "get",
    path: "/api/v1/models",
    summary: "List models",
    description:
      "Returns the chat models that a request may name in `model`, the default first. In OpenAI's format.",
    scope: "assistants",
    output: z.object({
      object: z.literal("list").describe("Always `list`."),
      data: z
        .array(
          z.object({
            id: z.string().describe("Name to send as `model`."),
            object: z.literal("model").describe("Always `model`."),
            created: z
              .int()
              .optional()
              .describe("When the model was added, in seconds since 1970. Missing if unknown."),
            owned_by: z
              .string()
              .describe("`local` for a model on this computer, otherwise the name of its model server."),
            host: z
              .string()
              .optional()
              .describe("Host that prompts are sent to. Missing for a model on this computer."),
          }),
        )
        .describe("Models, the default first."),
    }),
  }),
  create: stream({
    method: "post",
    path: "/api/v1/chat/completions",
    summary: "Create a chat completion",
    description:
      "OpenAI's chat completions. The request goes straight to the model: no folders, no assistants, no citations, and nothing is stored. The response is JSON, or Server-Sent Events if `stream` is true.",
    errors: ["local_only", "not_found", "unsupported_content", "quota_exceeded", "no_model", "unavailable"],
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    // The feature checks the body itself, because its errors name OpenAI's parameters in OpenAI's envelope.
    body: z.unknown().meta({ type: "object", description: "OpenAI chat completion request" }),
    event: z.unknown().meta({ type: "object", description: "OpenAI chat completion chunk" }),
  }),
  respond: stream({
    method: "post",
    path: "/api/v1/responses",
    summary: "Create a response",
    description:
      "OpenAI's Responses. Nothing is stored, so `previous_response_id` isn't supported. The response is JSON, or Server-Sent Events if `stream` is true.",
    errors: ["local_only", "not_found", "unsupported_content", "quota_exceeded", "no_model", "unavailable"],
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "OpenAI Responses request" }),
    event: z.unknown().meta({ type: "object", description: "OpenAI Responses event" }),
  }),
  message: stream({
    method: "post",
    path: "/api/v1/messages",
    summary: "Create a message",
    description:
      "Anthropic's Messages. Nothing is stored. The response is JSON, or Server-Sent Events if `stream` is true.",
    errors: ["local_only", "not_found", "unsupported_content", "quota_exceeded", "no_model", "unavailable"],
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "Anthropic Messages request" }),
    event: z.unknown().meta({ type: "object", description: "Anthropic Messages event" }),
  }),
  countTokens: json({
    method: "post",
    path: "/api/v1/messages/count_tokens",
    summary: "Count the tokens of a message",
    description: "Returns how many tokens the prompt of one of Anthropic's Messages would have.",
    errors: ["local_only", "unsupported_content", "no_model", "unavailable"],
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "Anthropic Messages request" }),
    output: z.object({ input_tokens: z.int().describe("Tokens of the prompt.") }),
  }),
  embeddings: json({
    method: "post",
    path: "/api/v1/embeddings",
    summary: "Create embeddings",
    description: "OpenAI's embeddings, with the server's embedding model.",
    errors: ["local_only", "no_model", "unavailable"],
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "OpenAI embeddings request" }),
    output: z.unknown().meta({ type: "object", description: "OpenAI embeddings answer" }),
  }),
} as const
