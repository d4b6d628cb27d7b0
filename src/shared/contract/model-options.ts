import { z } from "zod"
import { json } from "./endpoint.ts"

/** Default for a model on this computer without custom options. */
export const usualUnloadMinutes = 30

/** A chat model's options where a request specifies none; null is the model's own default. */
export const ModelOptions = z
  .object({
    contextSize: z
      .int()
      .nullable()
      .meta({ description: "Tokens of one conversation; null: as many as fit this computer" }),
    temperature: z.number().nullable(),
    topP: z.number().nullable(),
    minP: z.number().nullable(),
    maxTokens: z.int().nullable().meta({ description: "Of an answer" }),
    thinking: z.enum(["auto", "off"]).nullable(),
    thinkingTokens: z.int().nullable().meta({ description: "Most tokens of thoughts in an answer" }),
    device: z.enum(["auto", "cpu"]).nullable(),
    unloadAfterMinutes: z.int().nullable().meta({
      description: "Idle minutes until its memory is given back; 0: after each answer; null: never",
    }),
    vision: z
      .boolean()
      .nullable()
      .meta({ description: "Whether a server's model takes pictures, where its server doesn't say" }),
  })
  .meta({ id: "ModelOptions" })
export type ModelOptions = z.infer<typeof ModelOptions>

export const ModelOptionsPatch = z
  .object({
    contextSize: z.int().min(512).max(100_000_000).nullable(),
    temperature: z.number().min(0).max(2).nullable(),
    topP: z.number().min(0).max(1).nullable(),
    minP: z.number().min(0).max(1).nullable(),
    maxTokens: z.int().min(1).max(1_000_000).nullable(),
    thinking: z.enum(["auto", "off"]).nullable(),
    thinkingTokens: z.int().min(0).max(1_000_000).nullable(),
    device: z.enum(["auto", "cpu"]).nullable(),
    unloadAfterMinutes: z.int().min(0).max(1_000_000).nullable(),
    vision: z.boolean().nullable(),
  })
  .partial()
export type ModelOptionsPatch = z.infer<typeof ModelOptionsPatch>

/** The cost of a local model's context window on this computer. */
export const ContextCost = z
  .object({
    trained: z.int().meta({ description: "Tokens that the model was trained for" }),
    largest: z.int().meta({ description: "Tokens that fit this computer's memory" }),
    usual: z.int().meta({ description: "Tokens that it has where nobody says how many" }),
    usualAtOnce: z.int().meta({ description: "Conversations that have as many beside each other then" }),
    together: z.int().meta({ description: "Tokens that fit for all conversations together" }),
    modelBytes: z.int(),
    bytesPerToken: z.int().meta({ description: "Memory that each token of context takes" }),
    memoryBytes: z.int().meta({ description: "What this computer has, its GPU included" }),
  })
  .meta({ id: "ContextCost" })
export type ContextCost = z.infer<typeof ContextCost>

/** A model's measured speed here, in answers since the box started. */
export const ModelSpeed = z
  .object({
    runsOn: z.enum(["processor", "gpu", "server"]),
    tokensPerSecond: z.number().meta({ description: "Written, in its last answer" }),
    promptTokensPerSecond: z
      .number()
      .nullable()
      .meta({ description: "Read, at best; null until it is known" }),
  })
  .meta({ id: "ModelSpeed" })
export type ModelSpeed = z.infer<typeof ModelSpeed>

const path = "/api/public/models/:modelId/options"
const output = z.object({
  options: ModelOptions,
  cost: ContextCost.nullable().meta({ description: "Null for a server's model" }),
  speeds: z.array(ModelSpeed).meta({ description: "At most one for each thing that it ran on" }),
})
export type KnownModelOptions = z.infer<typeof output>

/** For owners. */
export const modelOptions = {
  read: json({
    method: "get",
    path,
    summary:
      "How a chat model answers where a request doesn't say, what its context costs here, and how fast it was",
    access: "owner",
    output,
  }),
  update: json({
    method: "patch",
    path,
    summary: "Change how a chat model answers; what can't be had is refused with what can",
    access: "owner",
    body: ModelOptionsPatch,
    output,
  }),
} as const
