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

export const Origin = z
  .enum(["API", "APP"])
  .meta({ id: "Origin", description: "Where a chat was started: `API` with an API key, `APP` in the app." })
export type Origin = z.infer<typeof Origin>

/** A chat in lists. */
export const ConversationSummary = z
  .object({
    id: z.string().describe("Identifier of the chat, chosen by its first request."),
    title: z.string().describe("Title, derived from the first question until someone renames the chat."),
    origin: Origin,
    vectorIds: z.array(Id).describe("Folders of the newest question."),
    assistantId: Id.nullable().describe(
      "Assistant of the newest question; null for none. It may have been deleted.",
    ),
    modelId: z
      .string()
      .nullable()
      .describe("Model that the newest question named; null for none. It may have been removed."),
    projectId: Id.nullable().describe("Project of the chat; null for none."),
    messageCount: z.int().describe("Messages of the current branch."),
    pinned: z.boolean().describe("true if the chat is pinned."),
    unread: z.boolean().describe("true if no one has opened the newest answer to a question from the app."),
    createdAt: Timestamp.describe("When the chat was started."),
    updatedAt: Timestamp.describe("When the newest message was written."),
  })
  .meta({ id: "ConversationSummary", description: "A chat in a list." })
export type ConversationSummary = z.infer<typeof ConversationSummary>

export const StoredMessage = z
  .object({
    id: Id.describe("Identifier of the message."),
    role: Role.describe("Author of the message."),
    content: z.string().describe("Text of the message, without tool calls and reasoning."),
    parts: z
      .array(MessagePart)
      .describe(
        "Parts of the message in order: text, reasoning, sources, tool calls and their results, notices.",
      ),
    attachments: z
      .array(Attachment)
      .nullable()
      .describe("Files attached to the message; null if there are none."),
    askedFiles: z.array(AskedFile).nullish().describe("Files that the question named with `fileIds`."),
    filter: FileFilter.nullish().describe("Filter of the question."),
    table: FactTable.nullish().describe("Table that the question asked for."),
    finishReason: FinishReason.nullable().describe(
      "Why the answer ended; null for other messages and while the answer is being written.",
    ),
    usage: Usage.nullable().describe("Tokens and speed of an answer; null for other messages."),
    model: z
      .string()
      .nullable()
      .describe("Name of the model that wrote the answer; null for other messages."),
    assistantId: Id.nullable().describe(
      "Assistant that wrote the answer; null for none. It may have been deleted.",
    ),
    createdAt: Timestamp.describe("When the message was written."),
  })
  .meta({ id: "StoredMessage", description: "A message of a chat." })
export type StoredMessage = z.infer<typeof StoredMessage>

/** An earlier version of the chat that an edit has replaced. `id` is used in `?branch=`. */
export const Branch = z
  .object({
    id: Id.describe("Identifier of the branch; `?branch=` of the chat takes it."),
    messageCount: z.int().describe("Messages of the branch."),
    createdAt: Timestamp.describe("When the branch was created."),
    current: z.boolean().describe("true for the branch that the chat continues."),
  })
  .meta({ id: "Branch", description: "A version of a chat. Editing a question creates a new one." })
export type Branch = z.infer<typeof Branch>

export const Conversation = z
  .object({
    ...ConversationSummary.shape,
    builtInTools: BuiltInTools.optional().describe(
      "Tools that the newest question without an assistant named.",
    ),
    messages: z.array(StoredMessage).describe("Messages of the branch, oldest first."),
    branches: z.array(Branch).describe("Versions of the chat."),
  })
  .meta({ id: "Conversation", description: "A chat with its messages." })
export type Conversation = z.infer<typeof Conversation>

/** A search hit in the caller's chats. */
export const ChatSearchHit = z
  .object({
    chatId: z.string().describe("The chat."),
    title: z.string().describe("Title of the chat."),
    messageId: Id.nullable().describe(
      "Message that contains the words; null if only the title does. If it belongs to an earlier branch, read it with `?branch=`.",
    ),
    snippet: z
      .array(
        z.object({
          text: z.string().describe("Text of the piece."),
          hit: z.boolean().describe("true if the piece is one of the search words."),
        }),
      )
      .describe("Text around the words, in pieces."),
    updatedAt: Timestamp.describe("When the chat was last continued."),
  })
  .meta({ id: "ChatSearchHit", description: "A place in the caller's chats that contains the search words." })
export type ChatSearchHit = z.infer<typeof ChatSearchHit>

/** The outcome for a passage that was found: quoted to the model as `citation`, or left out for a reason. */
export const RetrievalReason = z.enum(["used", "below_filter", "no_room", "duplicate", "not_best"]).meta({
  id: "RetrievalReason",
  description:
    "What happened to a passage that was found: it was quoted to the model, or left out for this reason.",
})
export type RetrievalReason = z.infer<typeof RetrievalReason>

/** A passage that was considered for an answer. Passages quoted together share a citation. */
export const RetrievalCandidate = Passage.extend({
  citation: z
    .int()
    .positive()
    .nullable()
    .describe("Number of the citation in the answer; null if the passage wasn't quoted."),
  reason: RetrievalReason.describe("Why the passage was quoted or left out."),
}).meta({
  id: "RetrievalCandidate",
  description:
    "A passage that was considered for an answer. Passages that are quoted together share a citation.",
})
export type RetrievalCandidate = z.infer<typeof RetrievalCandidate>

/** `model`: written by the chat's model; `earlier_questions`: the question together with those before it. */
export const QuerySource = z.enum(["question", "model", "earlier_questions"]).meta({
  id: "QuerySource",
  description:
    "Where the search query came from. `question`: the question. `model`: the chat's model wrote it. `earlier_questions`: the question together with earlier ones.",
})
export type QuerySource = z.infer<typeof QuerySource>

/** The passages considered for an answer and why they were used, best first, at most 50. */
export const Retrieval = z
  .object({
    query: z.string().describe("Text that was searched for."),
    querySource: QuerySource,
    strategy: Strategy.describe("Strategy of the search."),
    candidates: z.array(RetrievalCandidate).describe("Passages that were considered, best first."),
  })
  .meta({ id: "Retrieval", description: "The passages considered for an answer, best first, at most 50." })
export type Retrieval = z.infer<typeof Retrieval>

export const AwaitedFiles = z
  .enum(["reading", "read", "unread"])
  .describe(
    "`reading`: some files are still being indexed. `read`: all are done, and at least one was indexed. `unread`: none was indexed, or the caller may not read them.",
  )
export type AwaitedFiles = z.infer<typeof AwaitedFiles>

const ConversationPatch = z
  .object({
    title: atMost(300, z.string().trim().min(1)).describe("New title, up to 300 characters."),
    pinned: z.boolean().describe("true pins the chat."),
    unread: z.boolean().describe("true marks the chat as unread."),
    projectId: Id.nullable().describe(
      "Project to move the chat to; null moves it out of its project. Needs full rights.",
    ),
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
    summary: "List chats",
    description: "Returns the caller's chats, most recently updated first.",
    scope: "assistants",
    query: z.object({
      ...pageQuery,
      origin: Origin.optional().describe("Return only chats that were started there."),
      search: searchQuery.describe("Return only chats whose title contains this text, in any case."),
      pinned: queryBoolean.describe("true returns only pinned chats, false only the others."),
      projectId: Id.optional().describe("Return only chats of this project."),
      importId: Id.optional().describe("Return only chats that this import created or continued."),
    }),
    large: true,
    output: z.object({
      chats: z.array(ConversationSummary).describe("Chats of this page, most recently updated first."),
      pagination: Pagination,
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/chats/:id",
    summary: "Get a chat",
    description:
      "Returns a chat with all messages of its current branch, or of the branch that `branch` names.",
    scope: "assistants",
    query: z.object({
      branch: z.string().max(100).optional().describe("Branch to return. Default: the current one."),
    }),
    large: true,
    output: z.object({ chat: Conversation.describe("The chat.") }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/chats/:id",
    summary: "Change a chat",
    description: "Renames, pins or moves a chat, or marks it as unread.",
    errors: ["conflict"],
    scope: "assistants",
    body: ConversationPatch,
    output: z.object({ chat: ConversationSummary.describe("The changed chat.") }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/chats/:id",
    summary: "Delete a chat",
    description:
      "Deletes a chat with its messages, attachments and queue. The deletion can be undone with the returned token.",
    errors: ["chat_busy"],
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: ChatId.describe("Identifier of the deleted chat."),
      undo: Undo,
    }),
  }),
  removeSeveral: json({
    method: "post",
    path: "/api/public/chats/delete",
    summary: "Delete several chats",
    description: "Deletes several chats at once. One token undoes the whole deletion.",
    errors: ["chat_busy"],
    scope: "assistants",
    body: z.object({
      ids: z
        .array(ChatId)
        .min(1)
        .max(maxChatsPerDeletion)
        .describe("Chats to delete, at most 500. Unknown ids are ignored."),
    }),
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      ids: z.array(ChatId).describe("Chats that were deleted."),
      undo: Undo,
    }),
  }),
  search: json({
    method: "get",
    path: "/api/public/chat-search",
    summary: "Search chats",
    description:
      "Returns places in the caller's chats that contain all words, best matches and newest chats first.",
    scope: "assistants",
    query: z.object({
      query: atMost(200, z.string().trim().min(1)).describe("Words to search for, up to 200 characters."),
      limit: queryInteger(1, 50, 20).describe("Places to return, 1 to 50."),
    }),
    output: z.object({ results: z.array(ChatSearchHit).describe("Places found.") }),
  }),
  retrieval: json({
    method: "get",
    path: "/api/public/chats/:id/messages/:messageId/retrieval",
    summary: "Explain an answer",
    description: "Returns which passages were found for an answer, and why each was quoted or left out.",
    scope: "assistants",
    output: z.object({
      retrieval: Retrieval.nullable().describe("The passages considered; null if no folders were searched."),
    }),
  }),
  awaitedFiles: json({
    method: "get",
    path: "/api/public/chats/:id/messages/:messageId/awaited-files",
    summary: "Get files that an answer waited for",
    description: "Returns the state of files that were still being indexed when the answer was written.",
    scope: "assistants",
    output: z.object({ state: AwaitedFiles.describe("What happened to the files.") }),
  }),
  fork: json({
    method: "post",
    path: "/api/public/chats/:id/fork",
    summary: "Fork a chat",
    description: "Creates a new chat with all messages of this one up to a finished answer.",
    errors: ["chat_busy", "conflict"],
    scope: "assistants",
    status: 201,
    body: z.object({
      messageId: Id.describe("Answer that the new chat continues from. It may be in any branch."),
      title: atMost(300, z.string().trim().min(1))
        .optional()
        .describe("Title of the new chat, up to 300 characters. Default: the old title with a number."),
    }),
    output: z.object({ chat: ConversationSummary.describe("The new chat.") }),
  }),
  folder: json({
    method: "post",
    path: "/api/public/chats/:id/folder",
    summary: "Get the folder for attachments",
    description:
      "Returns the chat's own folder for attachments. The first call creates it (201), also before the first message.",
    scope: "assistants",
    query: z.object({
      projectId: Id.optional().describe(
        "Project that a new chat will be in. If one of the project's folders may not be sent to remote models, neither may the new folder.",
      ),
    }),
    status: 200,
    otherStatus: 201,
    output: z.object({ vector: Folder.describe("The chat's folder. Upload attachments to it.") }),
  }),
} as const
