import { z } from "zod"
import { json } from "./endpoint.ts"

/** State of one configured model: the chat model or the embedding model. */
export const ModelState = z
  .object({
    id: z.string(),
    kind: z.enum(["local", "remote"]),
    contextSize: z.int(),
    status: z.enum(["idle", "loading", "ready", "failed"]),
    progress: z.number().min(0).max(1).optional(),
    gpu: z.string().optional().meta({ description: "GPU backend in use; absent on the CPU" }),
    threads: z.int().optional(),
    error: z.string().optional(),
  })
  .meta({ id: "ModelState" })
export type ModelState = z.infer<typeof ModelState>

export const models = {
  state: json({
    method: "get",
    path: "/api/public/models/state",
    summary: "The configured models and what they are doing; null where none is configured",
    output: z.object({ chat: ModelState.nullable(), embedding: ModelState.nullable() }),
  }),
} as const
