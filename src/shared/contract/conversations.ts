import { z } from "zod"
import { FinishReason, MessagePart, Role, ChatId } from "./chat.ts"
import { json } from "./endpoint.ts"
import { Id, pageQuery, Pagination, searchQuery, Timestamp } from "./primitives.ts"

export const Origin = z.enum(["API", "APP"]).meta({ id: "Origin" })
export type Origin = z.infer<typeof Origin>

/** A conversation in lists (interface.md 2.5). */
export const ConversationSummary = z
  .object({
    id: z.string(),
    title: z.string(),
    origin: Origin,
    vectorIds: z.array(Id),
    projectId: Id.nullable(),
    messageCount: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: "ConversationSummary" })
export type ConversationSummary = z.infer<typeof ConversationSummary>

export const StoredMessage = z
  .object({
    id: Id,
    role: Role,
    content: z.string().meta({ description: "Text segments joined" }),
    parts: z.array(MessagePart),
    attachments: z.array(z.unknown()).nullable(),
    finishReason: FinishReason.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: "StoredMessage" })
export type StoredMessage = z.infer<typeof StoredMessage>

/** An earlier course of the conversation that a changed history replaced. `id` goes into `?branch=`. */
export const Branch = z
  .object({ id: Id, messageCount: z.int(), createdAt: Timestamp, current: z.boolean() })
  .meta({ id: "Branch" })
export type Branch = z.infer<typeof Branch>

export const Conversation = z
  .object({
    ...ConversationSummary.shape,
    messages: z.array(StoredMessage),
    branches: z.array(Branch),
  })
  .meta({ id: "Conversation" })
export type Conversation = z.infer<typeof Conversation>

export const conversations = {
  list: json({
    method: "get",
    path: "/api/public/chats",
    summary: "Conversations, most recently updated first",
    scope: "assistants",
    query: z.object({ ...pageQuery, origin: Origin.optional(), search: searchQuery }),
    output: z.object({ chats: z.array(ConversationSummary), pagination: Pagination }),
  }),
  read: json({
    method: "get",
    path: "/api/public/chats/:id",
    summary: "One conversation with its messages",
    scope: "assistants",
    query: z.object({ branch: z.string().max(100).optional() }),
    output: z.object({ chat: Conversation }),
  }),
  rename: json({
    method: "patch",
    path: "/api/public/chats/:id",
    summary: "Rename a conversation",
    scope: "assistants",
    body: z.object({ title: z.string().trim().min(1).max(300) }),
    output: z.object({ chat: ConversationSummary }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/chats/:id",
    summary: "Delete a conversation with all its messages",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: ChatId }),
  }),
} as const
