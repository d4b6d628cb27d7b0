import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, searchQuery, Timestamp } from "./primitives.ts"

/** Maximum number of a user's facts, and maximum number of characters of a fact. */
export const maxMemories = 500
export const maxMemoryLength = 500

/** A fact that assistants know about their user in every chat. The user can read, change and delete it. */
export const Memory = z
  .object({
    id: Id,
    text: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    writtenByScopedKey: z.literal(true).optional().meta({
      description:
        "A key with scopes wrote it: `bypass` works like `auto` until its text is sent with full rights",
    }),
  })
  .meta({ id: "Memory" })
export type Memory = z.infer<typeof Memory>

const MemoryText = z.object({ text: atMost(maxMemoryLength, z.string().trim().min(1)) })

export const memory = {
  list: json({
    method: "get",
    path: "/api/public/memory",
    summary: "Facts that assistants remember of the caller, most recently changed first",
    scope: "assistants",
    query: z.object({ ...pageQuery, search: searchQuery }),
    large: true,
    output: z.object({ memories: z.array(Memory), pagination: Pagination }),
  }),
  remember: json({
    method: "post",
    path: "/api/public/memory",
    summary: "Remember a fact; one that says the same already takes the new words",
    scope: "assistants",
    body: MemoryText,
    status: 201,
    output: z.object({ memory: Memory }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/memory/:id",
    summary: "Change a fact; 409 when another one says the same",
    scope: "assistants",
    body: MemoryText,
    output: z.object({ memory: Memory }),
  }),
  forget: json({
    method: "delete",
    path: "/api/public/memory/:id",
    summary: "Forget a fact",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: Id }),
  }),
  forgetAll: json({
    method: "delete",
    path: "/api/public/memory",
    summary: "Forget every fact about the caller",
    scope: "assistants",
    output: z.object({ removed: z.int() }),
  }),
} as const
