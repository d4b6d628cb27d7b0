import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, searchQuery, Timestamp } from "./primitives.ts"

/** Maximum number of a user's facts, and maximum number of characters of a fact. */
export const maxMemories = 500
export const maxMemoryLength = 500

/** A fact that assistants know about their user in every chat. The user can read, change and delete it. */
export const Memory = z
  .object({
    id: Id.describe("Identifier of the fact."),
    text: z.string().describe("The fact."),
    createdAt: Timestamp.describe("When the fact was first remembered."),
    updatedAt: Timestamp.describe("When the fact last changed."),
    writtenByScopedKey: z
      .literal(true)
      .optional()
      .describe(
        "true if a key with scopes wrote the fact. `bypass` then works like `auto` until its text is sent with full rights.",
      ),
  })
  .meta({ id: "Memory", description: "A fact that assistants know about the caller in every chat." })
export type Memory = z.infer<typeof Memory>

const MemoryText = z.object({
  text: atMost(maxMemoryLength, z.string().trim().min(1)).describe("The fact in one or two sentences."),
})

export const memory = {
  list: json({
    method: "get",
    path: "/api/public/memory",
    summary: "List remembered facts",
    description: "Returns the facts that assistants remember about the caller, most recently changed first.",
    scope: "assistants",
    query: z.object({
      ...pageQuery,
      search: searchQuery.describe("Return only facts that contain this text, in any case."),
    }),
    large: true,
    output: z.object({
      memories: z.array(Memory).describe("Facts of this page, most recently changed first."),
      pagination: Pagination,
    }),
  }),
  remember: json({
    method: "post",
    path: "/api/public/memory",
    summary: "Remember a fact",
    description: "Adds a fact. If one with the same meaning exists, it takes the new words.",
    errors: ["conflict"],
    scope: "assistants",
    body: MemoryText,
    status: 201,
    output: z.object({ memory: Memory.describe("The fact.") }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/memory/:id",
    summary: "Change a fact",
    description: "409 if another fact says the same.",
    errors: ["conflict"],
    scope: "assistants",
    body: MemoryText,
    output: z.object({ memory: Memory.describe("The changed fact.") }),
  }),
  forget: json({
    method: "delete",
    path: "/api/public/memory/:id",
    summary: "Forget a fact",
    description: "Deletes one fact permanently.",
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the deleted fact."),
    }),
  }),
  forgetAll: json({
    method: "delete",
    path: "/api/public/memory",
    summary: "Forget all facts",
    description: "Permanently deletes every fact about the caller.",
    scope: "assistants",
    output: z.object({ removed: z.int().describe("Facts that were deleted.") }),
  }),
} as const
