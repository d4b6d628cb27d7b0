import { z } from "zod"
import { json, stream } from "./endpoint.ts"

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
    // The feature checks the body itself: its errors name OpenAI's parameters in OpenAI's envelope.
    body: z.unknown().meta({ type: "object", description: "OpenAI chat completion request" }),
    event: z.unknown().meta({ type: "object", description: "OpenAI chat completion chunk" }),
  }),
  embeddings: json({
    method: "post",
    path: "/api/v1/embeddings",
    summary: "Embeddings in OpenAI's format",
    scope: "assistants",
    body: z.unknown().meta({ type: "object", description: "OpenAI embeddings request" }),
    output: z.unknown().meta({ type: "object", description: "OpenAI embeddings answer" }),
  }),
} as const
