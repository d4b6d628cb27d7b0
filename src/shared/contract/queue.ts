import { z } from "zod"
import { ChatRequest, FactTable, Reading, Rewrite } from "./chat.ts"
import { json } from "./endpoint.ts"
import { ErrorBody } from "./errors.ts"
import { FileFilter } from "./file-filter.ts"
import { Id, Timestamp } from "./primitives.ts"
import { BuiltInTools } from "./tools.ts"

/** Events that a question can wait for. */
export const WaitsFor = z.enum(["answer", "approval", "model", "files"]).meta({ id: "WaitsFor" })
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
    id: Id,
    position: z.int().positive().meta({ description: "1 is asked next" }),
    state: z.literal("waiting"),
    waitsFor: WaitsFor.nullable().meta({ description: "null: it is asked now, or doesn't go on by itself" }),
    stopped: z
      .boolean()
      .meta({ description: "The answer before it was stopped: it waits until it is let go" }),
    problem: ErrorBody.nullable().meta({
      description: "Why it can't be asked; it waits until it is changed, removed or let go",
    }),
    content: z.string(),
    assistantId: Id.nullable(),
    modelId: z.string().nullable(),
    vector: z.array(Id),
    attachments: z.array(Id).nullable(),
    reading: Reading.nullable(),
    fileIds: z.array(Id).nullable(),
    includeGenerated: z.boolean(),
    rewrite: Rewrite,
    filter: FileFilter.nullable(),
    table: FactTable.nullable(),
    builtInTools: BuiltInTools.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: "QueueEntry" })
export type QueueEntry = z.infer<typeof QueueEntry>

export const QueueDraft = z
  .object({
    content,
    ...manner,
    projectId,
    after: Id.nullish().meta({
      description:
        "The message it follows, where that isn't the newest one by then; null: it begins the chat anew",
    }),
    boxAddress: boxAddress.optional().meta({
      description: "As in the chat request; the address that this request was sent to unless given",
    }),
  })
  .meta({ id: "QueueDraft" })
export type QueueDraft = z.infer<typeof QueueDraft>

export const QueuePatch = z
  .object({
    content: content.optional(),
    ...manner,
    now: z
      .literal(true)
      .optional()
      .meta({ description: "Wait neither for files nor for approvals: calls that wait are denied" }),
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
    chatId: z.string(),
    content: z.string().meta({ description: "The beginning of the one that is asked next" }),
  })
  .meta({ id: "WaitingChat" })
export type WaitingChat = z.infer<typeof WaitingChat>

const entries = z.object({ entries: z.array(QueueEntry) })
const entry = z.object({ entry: QueueEntry })

export const queue = {
  list: json({
    method: "get",
    path: "/api/public/chats/:id/queue",
    summary: "Questions that wait in a chat, in the order in which they are asked",
    scope: "assistants",
    output: entries,
  }),
  add: json({
    method: "post",
    path: "/api/public/chats/:id/queue",
    summary: "Ask when it is this question's turn: at once in an idle chat. An unknown id begins the chat",
    scope: "assistants",
    status: 202,
    body: QueueDraft,
    output: entry,
  }),
  change: json({
    method: "patch",
    path: "/api/public/chats/:id/queue/:entryId",
    summary: "Change a question that waits",
    scope: "assistants",
    body: QueuePatch,
    output: entry,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/chats/:id/queue/:entryId",
    summary: "Take a question back",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: Id }),
  }),
  resume: json({
    method: "post",
    path: "/api/public/chats/:id/queue/resume",
    summary: "Let questions go that wait since an answer was stopped or one of them couldn't be asked",
    scope: "assistants",
    output: entries,
  }),
  chats: json({
    method: "get",
    path: "/api/public/chat-queues",
    summary: "The caller's chats in which questions wait",
    scope: "assistants",
    output: z.object({ chats: z.array(WaitingChat) }),
  }),
} as const
