import { z } from "zod"
import { ChatRequest, FactTable, Reading, Rewrite } from "./chat.ts"
import { json } from "./endpoint.ts"
import { ErrorBody } from "./errors.ts"
import { FileFilter } from "./file-filter.ts"
import { Id, Timestamp } from "./primitives.ts"
import { BuiltInTools } from "./tools.ts"

/** Events that a question can wait for. */
export const WaitsFor = z
  .enum(["answer", "approval", "model", "files"])
  .meta({ id: "WaitsFor", description: "What a queued question waits for." })
export type WaitsFor = z.infer<typeof WaitsFor>

const { boxAddress, projectId } = ChatRequest.shape
/** The options of a question, with the same fields as in the chat request. */
const manner = ChatRequest.pick({
  assistantId: true,
  modelId: true,
  vector: true,
  attachments: true,
  reading: true,
  fileIds: true,
  includeGenerated: true,
  rewrite: true,
  filter: true,
  table: true,
  builtInTools: true,
}).shape
const content = z.string().refine((text) => text.trim() !== "", "must not be empty")

/** A queued question of a chat. */
export const QueueEntry = z
  .object({
    id: Id.describe("Identifier of the queued question."),
    position: z.int().positive().describe("Position in the queue; 1 is asked next."),
    state: z.literal("waiting").describe("Always `waiting`."),
    waitsFor: WaitsFor.nullable().describe(
      "What the question waits for; null if it is being asked, or needs someone to resume the queue.",
    ),
    stopped: z
      .boolean()
      .describe("true if the previous answer was stopped. The question waits until the queue is resumed."),
    problem: ErrorBody.nullable().describe(
      "Why the question can't be asked; null if it can. It waits until it is changed or removed, or the queue is resumed.",
    ),
    content: z.string().describe("Text of the question."),
    assistantId: Id.nullable().describe("Assistant that will answer; null for none."),
    modelId: z.string().nullable().describe("Model that will answer; null for the default."),
    vector: z.array(Id).describe("Folders to search."),
    attachments: z
      .array(Id)
      .nullable()
      .describe("Attached files; null for those uploaded since the previous message."),
    reading: Reading.nullable().describe("How much of the documents is read; null for `auto`."),
    fileIds: z.array(Id).nullable().describe("Files to read in place of whole folders; null for none."),
    includeGenerated: z.boolean().describe("true also searches files that a model wrote."),
    rewrite: Rewrite,
    filter: FileFilter.nullable().describe("Restricts which files are searched; null for all."),
    table: FactTable.nullable().describe("Table that the question asks for; null for none."),
    builtInTools: BuiltInTools.nullable().describe(
      "Tools that may be called if no assistant answers; null for none.",
    ),
    createdAt: Timestamp.describe("When the question was queued."),
  })
  .meta({ id: "QueueEntry", description: "A queued question of a chat." })
export type QueueEntry = z.infer<typeof QueueEntry>

export const QueueDraft = z
  .object({
    content: content.describe("Text of the question."),
    ...manner,
    projectId: projectId.describe("Project of a chat that this question creates."),
    after: Id.nullish().describe(
      "Message that the question follows. Default: the newest one at that time. null starts the chat again.",
    ),
    boxAddress: boxAddress
      .optional()
      .describe(
        "Address at which the caller reaches this server, for links in citations. Default: the address of this request.",
      ),
  })
  .meta({ id: "QueueDraft", description: "A question to queue, with the fields of a chat request." })
export type QueueDraft = z.infer<typeof QueueDraft>

export const QueuePatch = z
  .object({
    content: content.optional().describe("New text of the question."),
    ...manner,
    now: z
      .literal(true)
      .optional()
      .describe("true stops waiting for files and approvals. Calls that wait for approval are denied."),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), {
    path: ["content"],
    error:
      "is missing: give content, assistantId, modelId, vector, attachments, reading, fileIds, includeGenerated, rewrite, filter, table, builtInTools or now",
  })
export type QueuePatch = z.infer<typeof QueuePatch>

/** A chat with queued questions. */
const WaitingChat = z
  .object({
    chatId: z.string().describe("The chat."),
    content: z.string().describe("Beginning of the question that is asked next."),
  })
  .meta({ id: "WaitingChat", description: "A chat with queued questions." })
export type WaitingChat = z.infer<typeof WaitingChat>

const entries = z.object({
  entries: z.array(QueueEntry).describe("Queued questions in the order in which they are asked."),
})
const entry = z.object({ entry: QueueEntry.describe("The queued question.") })

export const queue = {
  list: json({
    method: "get",
    path: "/api/public/chats/:id/queue",
    summary: "List queued questions",
    description: "Returns the queued questions of a chat in the order in which they are asked.",
    scope: "assistants",
    output: entries,
  }),
  add: json({
    method: "post",
    path: "/api/public/chats/:id/queue",
    summary: "Queue a question",
    description:
      "Asks the question when the chat is free, which may be at once. An unknown chat id creates the chat.",
    errors: ["queue_full", "quota_exceeded"],
    scope: "assistants",
    status: 202,
    body: QueueDraft,
    output: entry,
  }),
  change: json({
    method: "patch",
    path: "/api/public/chats/:id/queue/:entryId",
    summary: "Change a queued question",
    description: "Omitted fields keep their value.",
    errors: ["conflict"],
    scope: "assistants",
    body: QueuePatch,
    output: entry,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/chats/:id/queue/:entryId",
    summary: "Remove a queued question",
    description: "Removes the question; it isn't asked.",
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the removed question."),
    }),
  }),
  resume: json({
    method: "post",
    path: "/api/public/chats/:id/queue/resume",
    summary: "Resume a queue",
    description:
      "Continues a queue that stopped because an answer was stopped or a question couldn't be asked.",
    scope: "assistants",
    output: entries,
  }),
  chats: json({
    method: "get",
    path: "/api/public/chat-queues",
    summary: "List chats with queued questions",
    description: "Returns the caller's chats in which questions are queued.",
    scope: "assistants",
    output: z.object({ chats: z.array(WaitingChat).describe("Chats with queued questions.") }),
  }),
} as const
