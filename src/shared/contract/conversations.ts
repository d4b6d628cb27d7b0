import { z } from "zod"
import { AskedFile, Attachment, FactTable, FinishReason, MessagePart, Role, ChatId, Usage } from "./chat.ts"
import { Undo } from "./deletions.ts"
import { json } from "./endpoint.ts"
import { FileFilter } from "./file-filter.ts"
import { Folder, Passage, Strategy } from "./folders.ts"
import {
  atMost,
  Id,
  pageQuery,
  Pagination,
  queryBoolean,
  queryInteger,
  searchQuery,
  Timestamp,
} from "./primitives.ts"
import { BuiltInTools } from "./tools.ts"
import { wrong } from "./wrong.ts"

export const Origin = z.enum(["API", "APP"]).meta({ id: "Origin" })
export type Origin = z.infer<typeof Origin>

/** A chat in lists. */
export const ConversationSummary = z
  .object({
    id: z.string(),
    title: z.string(),
    origin: Origin,
    vectorIds: z.array(Id),
    assistantId: Id.nullable().meta({
      description: "Who answered the newest question; it may have been deleted since",
    }),
    modelId: z.string().nullable().meta({
      description: "The model that the newest question named; it may be gone since",
    }),
    projectId: Id.nullable(),
    messageCount: z.int(),
    pinned: z.boolean(),
    unread: z.boolean().meta({
      description: "Nobody has looked at the newest answer to a question asked in the app",
    }),
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
    attachments: z.array(Attachment).nullable(),
    askedFiles: z.array(AskedFile).nullish().meta({
      description: "The files that this question names (`fileIds`), in place of all of its folders",
    }),
    filter: FileFilter.nullish().meta({ description: "What narrowed the files that this question is about" }),
    table: FactTable.nullish().meta({ description: "The table that this question asks for (`table`)" }),
    finishReason: FinishReason.nullable(),
    usage: Usage.nullable().meta({ description: "Of an answer that a model wrote; null otherwise" }),
    model: z.string().nullable().meta({ description: "Name of the model that wrote this answer" }),
    assistantId: Id.nullable().meta({
      description: "The assistant that gave this answer; it may have been deleted since",
    }),
    createdAt: Timestamp,
  })
  .meta({ id: "StoredMessage" })
export type StoredMessage = z.infer<typeof StoredMessage>

/** An earlier version of the chat that an edit has replaced. `id` is used in `?branch=`. */
export const Branch = z
  .object({ id: Id, messageCount: z.int(), createdAt: Timestamp, current: z.boolean() })
  .meta({ id: "Branch" })
export type Branch = z.infer<typeof Branch>

export const Conversation = z
  .object({
    ...ConversationSummary.shape,
    builtInTools: BuiltInTools.optional().meta({
      description: "The tools that the newest question without an assistant named",
    }),
    messages: z.array(StoredMessage),
    branches: z.array(Branch),
  })
  .meta({ id: "Conversation" })
export type Conversation = z.infer<typeof Conversation>

/** A search hit in the caller's chats. */
export const ChatSearchHit = z
  .object({
    chatId: z.string(),
    title: z.string(),
    messageId: Id.nullable().meta({
      description:
        "The message that holds it, null where only the title does. One of an earlier branch is read with `?branch=`",
    }),
    snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })).meta({
      description: "The place with its surroundings, in pieces; those with `hit` are what was found",
    }),
    updatedAt: Timestamp,
  })
  .meta({ id: "ChatSearchHit" })
export type ChatSearchHit = z.infer<typeof ChatSearchHit>

/** The outcome for a passage that was found: quoted to the model as `citation`, or left out for a reason. */
export const RetrievalReason = z
  .enum(["used", "below_filter", "no_room", "duplicate", "not_best"])
  .meta({ id: "RetrievalReason" })
export type RetrievalReason = z.infer<typeof RetrievalReason>

/** A passage that was considered for an answer. Passages quoted together share a citation. */
export const RetrievalCandidate = Passage.extend({
  citation: z.int().positive().nullable(),
  reason: RetrievalReason,
}).meta({ id: "RetrievalCandidate" })
export type RetrievalCandidate = z.infer<typeof RetrievalCandidate>

/** `model`: written by the chat's model; `earlier_questions`: the question together with those before it. */
export const QuerySource = z.enum(["question", "model", "earlier_questions"]).meta({ id: "QuerySource" })
export type QuerySource = z.infer<typeof QuerySource>

/** The passages considered for an answer and why they were used, best first, at most 50. */
export const Retrieval = z
  .object({
    query: z.string().meta({ description: "What was searched for" }),
    querySource: QuerySource,
    strategy: Strategy,
    candidates: z.array(RetrievalCandidate),
  })
  .meta({ id: "Retrieval" })
export type Retrieval = z.infer<typeof Retrieval>

export const AwaitedFiles = z.enum(["reading", "read", "unread"]).meta({
  description:
    "`reading`: something is still being read in their folders; `read`: nothing is any more, and one of them was; `unread`: none of them was, or may be read",
})
export type AwaitedFiles = z.infer<typeof AwaitedFiles>

const ConversationPatch = z
  .object({
    title: atMost(300, z.string().trim().min(1)),
    pinned: z.boolean(),
    unread: z.boolean(),
    projectId: Id.nullable().meta({
      description: "Moves it into a project; null: out of the one it is in. Needs full rights",
    }),
  })
  .partial()
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), {
    path: ["title"],
    ...wrong("title_or_pinned"),
  })
export type ConversationPatch = z.infer<typeof ConversationPatch>

/** Maximum number of chats that one request deletes. */
export const maxChatsPerDeletion = 500

export const conversations = {
  list: json({
    method: "get",
    path: "/api/public/chats",
    summary: "Conversations, most recently updated first",
    scope: "assistants",
    query: z.object({
      ...pageQuery,
      origin: Origin.optional(),
      search: searchQuery,
      pinned: queryBoolean.meta({ description: "true: only pinned ones; false: only the others" }),
      projectId: Id.optional().meta({ description: "Only those of this project" }),
      importId: Id.optional().meta({ description: "Only those that this import brought something of" }),
    }),
    large: true,
    output: z.object({ chats: z.array(ConversationSummary), pagination: Pagination }),
  }),
  read: json({
    method: "get",
    path: "/api/public/chats/:id",
    summary: "One conversation with its messages",
    scope: "assistants",
    query: z.object({ branch: z.string().max(100).optional() }),
    large: true,
    output: z.object({ chat: Conversation }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/chats/:id",
    summary: "Rename a conversation, pin it, or move it into a project or out of it",
    scope: "assistants",
    body: ConversationPatch,
    output: z.object({ chat: ConversationSummary }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/chats/:id",
    summary: "Delete a conversation with all its messages",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: ChatId, undo: Undo }),
  }),
  removeSeveral: json({
    method: "post",
    path: "/api/public/chats/delete",
    summary: "Delete several conversations in one write, which one token undoes",
    scope: "assistants",
    body: z.object({ ids: z.array(ChatId).min(1).max(maxChatsPerDeletion) }),
    output: z.object({
      success: z.literal(true),
      ids: z.array(ChatId).meta({ description: "Those that there were" }),
      undo: Undo,
    }),
  }),
  search: json({
    method: "get",
    path: "/api/public/chat-search",
    summary: "Places in the caller's chats that hold all words of a text, best and newest first",
    scope: "assistants",
    query: z.object({
      query: atMost(200, z.string().trim().min(1)),
      limit: queryInteger(1, 50, 20),
    }),
    output: z.object({ results: z.array(ChatSearchHit) }),
  }),
  retrieval: json({
    method: "get",
    path: "/api/public/chats/:id/messages/:messageId/retrieval",
    summary: "Why an answer rests on the passages it does; null where no folders were searched",
    scope: "assistants",
    output: z.object({ retrieval: Retrieval.nullable() }),
  }),
  awaitedFiles: json({
    method: "get",
    path: "/api/public/chats/:id/messages/:messageId/awaited-files",
    summary: "What became of files that an answer names as still being read",
    scope: "assistants",
    output: z.object({ state: AwaitedFiles }),
  }),
  fork: json({
    method: "post",
    path: "/api/public/chats/:id/fork",
    summary: "A new conversation that begins with all of this one up to a finished answer",
    scope: "assistants",
    status: 201,
    body: z.object({
      messageId: Id.meta({ description: "The answer, of any branch, that it goes on from" }),
      title: atMost(300, z.string().trim().min(1))
        .optional()
        .meta({ description: "Left out: the title with a number" }),
    }),
    output: z.object({ chat: ConversationSummary }),
  }),
  folder: json({
    method: "post",
    path: "/api/public/chats/:id/folder",
    summary:
      "The chat's own folder for attachments, made at the first call (201), also before the first message",
    scope: "assistants",
    query: z.object({
      projectId: Id.optional().meta({
        description:
          "The project that a new chat begins in: if one of the project's folders stays on this computer, so does the new folder",
      }),
    }),
    status: 200,
    otherStatus: 201,
    output: z.object({ vector: Folder }),
  }),
} as const
