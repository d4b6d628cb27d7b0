import { z } from "zod"
import { json, stream } from "./endpoint.ts"

/** Maximum size of a body in bytes, because requests contain images. */
const maxPictureBodyBytes = 32_000_000

export const completions = {
  models: json({
    method: "get",
    path: "/api/v1/models",
    summary: "Every chat model that may be named, the chosen one first",
    scope: "assistants",
    output: z.object({
      object: z.literal("list"),
      data: z.array(
        z.object({
          id: z.string(),
          object: z.literal("model"),
          created: z.int().optional(),
          owned_by: z.string(),
          host: z.string().optional().meta({
            description: "Where what it is asked is sent; left out for a model on this computer",
          }),
        }),
      ),
    }),
  }),
  create: stream({
    method: "post",
    path: "/api/v1/chat/completions",
    summary:
      "Passthrough to the model in OpenAI's chat-completions format; JSON, or a stream of chunks with `stream: true`",
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    // The feature checks the body itself, because its errors name OpenAI's parameters in OpenAI's envelope.
    body: z.unknown().meta({ type: "object", description: "OpenAI chat completion request" }),
    event: z.unknown().meta({ type: "object", description: "OpenAI chat completion chunk" }),
  }),
  respond: stream({
    method: "post",
    path: "/api/v1/responses",
    summary: "OpenAI's Responses; JSON, or a stream of events with `stream: true`; nothing is stored",
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "OpenAI Responses request" }),
    event: z.unknown().meta({ type: "object", description: "OpenAI Responses event" }),
  }),
  message: stream({
    method: "post",
    path: "/api/v1/messages",
    summary: "Anthropic's Messages; JSON, or a stream of events with `stream: true`",
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "Anthropic Messages request" }),
    event: z.unknown().meta({ type: "object", description: "Anthropic Messages event" }),
  }),
  countTokens: json({
    method: "post",
    path: "/api/v1/messages/count_tokens",
    summary: "Tokens of the prompt of one of Anthropic's Messages",
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "Anthropic Messages request" }),
    output: z.object({ input_tokens: z.int() }),
  }),
  embeddings: json({
    method: "post",
    path: "/api/v1/embeddings",
    summary: "Embeddings in OpenAI's format",
    scope: "assistants",
    maxBodyBytes: maxPictureBodyBytes,
    body: z.unknown().meta({ type: "object", description: "OpenAI embeddings request" }),
    output: z.unknown().meta({ type: "object", description: "OpenAI embeddings answer" }),
  }),
} as const
