import { z } from "zod"
import { Chart } from "./charts.ts"
import { bytes, json, stream } from "./endpoint.ts"
import { ErrorCode } from "./errors.ts"
import { FileFilter } from "./file-filter.ts"
import { IncludeGenerated, Notice, Passage } from "./folders.ts"
import { ModelId } from "./model-servers.ts"
import { atMost, Id, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { BuiltInTools } from "./tools.ts"
import { wrong } from "./wrong.ts"

export const Role = z.enum(["user", "assistant", "system"]).meta({ id: "Role" })
export type Role = z.infer<typeof Role>

/** Chosen by the caller: any text that is valid in an address. */
export const ChatId = atMost(200, z.string().min(1, wrong("not_empty")))
  .refine((id) => id !== "." && id !== "..", wrong("chat_id_dots"))
  .refine((id) => id.isWellFormed(), wrong("half_character"))

export const ChatMessage = z.object({ role: Role, content: z.string() }).meta({ id: "ChatMessage" })
export type ChatMessage = z.infer<typeof ChatMessage>

/** A file attached to a message, stored in the chat's own folder. */
export const Attachment = z
  .object({ fileId: Id, name: z.string(), mediaType: z.string(), size: z.int() })
  .meta({ id: "Attachment" })
export type Attachment = z.infer<typeof Attachment>

/** A file that a question refers to, as it was at the time. */
export const AskedFile = z.object({ fileId: Id, vectorId: Id, name: z.string() }).meta({ id: "AskedFile" })
export type AskedFile = z.infer<typeof AskedFile>

/** How much of the documents is read for an answer. */
export const Reading = z.enum(["auto", "passages", "whole"]).meta({ id: "Reading" })
export type Reading = z.infer<typeof Reading>

/** Whether a question that needs what was said before may be rewritten for the search. */
export const Rewrite = z.enum(["auto", "off"]).meta({ id: "Rewrite" })
export type Rewrite = z.infer<typeof Rewrite>

/** Maximum number of files that a question can be about, instead of all files in its folders. */
export const maxAskedFiles = 200

/** Maximum number of tools that a question names. */
const maxTools = 200
const ToolsOfQuestion = BuiltInTools.refine(
  (tools) => Object.keys(tools).length <= maxTools,
  wrong("most_entries", { count: maxTools }),
)

/** A table whose rows cover everything that the question is about. */
export const FactTable = z
  .object({
    columns: z
      .array(atMost(60, z.string().trim().min(1, wrong("not_empty"))))
      .min(1)
      .max(12)
      .meta({ description: "Beside those of the box, which tell the document and the place of each row" }),
  })
  .meta({ id: "FactTable" })
export type FactTable = z.infer<typeof FactTable>

export const ChatRequest = z
  .object({
    id: ChatId,
    messages: z
      .array(ChatMessage)
      .min(1, wrong("one_message"))
      .max(10_000)
      .meta({ description: "The full history, oldest first, the new message last" }),
    boxAddress: z
      .url({ protocol: /^https?$/, ...wrong("absolute_url") })
      .max(2000)
      .meta({ description: "The caller's address of the box; only used to build links in citations" }),
    assistantId: Id.nullish(),
    modelId: ModelId.nullish().meta({
      description: "The model that answers; left out: the assistant's, or the chosen one",
    }),
    vector: z.array(Id).max(50).nullish(),
    approvals: z.enum(["wait", "deny"]).optional().meta({
      description:
        "`deny`: calls that would wait for an approval are refused and the answer goes on; `wait` unless given",
    }),
    attachments: z.array(Id).max(50).nullish().meta({
      description:
        "Files of the chat's own folder that belong to the new message; left out: those uploaded since the one before",
    }),
    reading: Reading.optional().meta({
      description:
        "`passages`: the best passages of the folders; `whole`: every block of them; `auto`, unless given, chooses by the question",
    }),
    fileIds: z.array(Id).max(maxAskedFiles).nullish().meta({
      description: "With `whole` or `auto`: the files to read, in place of all of the folders",
    }),
    includeGenerated: IncludeGenerated.optional(),
    rewrite: Rewrite.optional().meta({
      description:
        "`auto`, unless given: passages for a follow-up question are searched for with a query that the chat's model writes; `off`: with the question as it is",
    }),
    filter: FileFilter.nullish().meta({
      description: "The files of the folders that are searched and read; attachments always are",
    }),
    projectId: Id.nullish().meta({
      description: "The project of a chat that this question begins; one that has begun stays where it is",
    }),
    table: FactTable.nullish().meta({
      description: "The answer is to be one table, made of all that is asked about: it means `whole`",
    }),
    builtInTools: ToolsOfQuestion.nullish().meta({
      description:
        "Tools that may be used where no assistant answers, as an assistant's; none unless given. An assistant uses its own",
    }),
  })
  .meta({ id: "ChatRequest" })
export type ChatRequest = z.infer<typeof ChatRequest>

const { assistantId, modelId, vector, fileIds } = ChatRequest.shape

/** A question for which whole documents may be read, with the same fields as its request. */
export const ReadingEstimateRequest = z
  .object({
    id: ChatId.optional().meta({
      description: "The chat: what is attached to its next question is read as that question would have it",
    }),
    content: z.string().optional().meta({
      description: "The question: what was read for it before isn't counted again",
    }),
    assistantId,
    modelId,
    vector,
    fileIds,
    includeGenerated: IncludeGenerated.optional(),
    filter: FileFilter.nullish(),
  })
  .meta({ id: "ReadingEstimateRequest" })
export type ReadingEstimateRequest = z.infer<typeof ReadingEstimateRequest>

/** The effort of reading all that a question is about. */
export const ReadingEstimate = z
  .object({
    files: z.int(),
    characters: z.int().meta({ description: "Of their texts" }),
    estimatedSeconds: z.int(),
    estimatedTokens: z.int().meta({ description: "Of the text that the model is sent" }),
    fits: z.boolean().meta({ description: "Within `wholeLimit`; otherwise it would be refused" }),
    isMeasured: z.boolean().meta({ description: "By what this model has read before" }),
    isDecided: z.boolean().meta({ description: "With `auto`, `content` would have all of it read" }),
  })
  .meta({ id: "ReadingEstimate" })
export type ReadingEstimate = z.infer<typeof ReadingEstimate>

export const FinishReason = z
  .enum(["stop", "length", "tool-calls", "aborted", "error"])
  .meta({ id: "FinishReason" })
export type FinishReason = z.infer<typeof FinishReason>

export const Usage = z
  .object({
    promptTokens: z.int(),
    completionTokens: z.int(),
    totalTokens: z.int(),
    firstTokenMs: z.number().nullable(),
    tokensPerSecond: z.number().nullable(),
  })
  .meta({ id: "Usage" })
export type Usage = z.infer<typeof Usage>

/** A passage with the number that `[n]` in the answer refers to. */
export const Source = Passage.extend({
  citation: z.int().positive(),
  url: z
    .string()
    .meta({ description: "Link to the passage in its document, under the request's boxAddress" }),
}).meta({ id: "Source" })
export type Source = z.infer<typeof Source>

const toolCall = {
  toolCallId: z.string(),
  toolName: z.string(),
  args: z.unknown().meta({ description: "As the model wrote them: JSON, or the text where it isn't JSON" }),
}

/** A notice from the box about an answer. */
const notice = Notice.extend({
  type: z.literal("notice"),
  tools: z
    .array(z.string())
    .optional()
    .meta({ description: "With `call_refused`: names of the tools whose calls were refused" }),
  files: z.array(AskedFile).optional().meta({
    description:
      "With `files_being_read` and `attachment_unread`: those that were still being indexed, 100 at most",
  }),
})
export type AnswerNotice = Omit<z.infer<typeof notice>, "type">

/** How much of each file was read for an answer from whole documents. */
export const Coverage = z
  .object({
    files: z.array(
      z.object({
        fileId: Id,
        name: z.string(),
        read: z.int(),
        of: z.int(),
        unit: z.enum(["page", "sheet", "slide", "line", "part"]),
        skipped: z
          .string()
          .nullable()
          .meta({ description: "Why it wasn't read, or not all of it, in a sentence for a person" }),
        sentences: z
          .array(SentenceBody)
          .optional()
          .meta({ description: "What `skipped` is made of, one after the other, as far as it is known" }),
      }),
    ),
    complete: z.boolean().meta({ description: "Nothing was skipped" }),
  })
  .meta({ id: "Coverage" })
export type Coverage = z.infer<typeof Coverage>

const coverage = Coverage.extend({ type: z.literal("coverage") })

const failed = z.object({
  type: z.literal("error"),
  error: z.string(),
  code: ErrorCode,
  sentence: SentenceBody.optional(),
})

const toolResult = z.object({
  type: z.literal("tool-result"),
  toolCallId: z.string(),
  result: z.unknown(),
  durationMs: z
    .number()
    .optional()
    .meta({ description: "How long the call ran; missing where it didn't run" }),
  deniedByUser: z.literal(true).optional().meta({
    description: "The call didn't run because its owner didn't allow it",
  }),
})

/** Parts that tools add to an answer, in addition to their results. */
const toolParts = [
  z.object({
    type: z.literal("widget"),
    toolCallId: z.string(),
    title: z.string(),
    html: z.string().meta({ description: "A page of the model's making: show it in a sandbox only" }),
  }),
  z.object({ type: z.literal("chart"), toolCallId: z.string(), chart: Chart }),
  z.object({
    type: z.literal("file"),
    toolCallId: z.string(),
    fileId: Id.meta({ description: "For `GET /api/public/chats/:id/files/:fileId`" }),
    name: z.string(),
    mediaType: z.string(),
    size: z.int().meta({ description: "Bytes" }),
  }),
] as const

/** Why a call waits: every call needs approval, it changes something, or it contains an address or words that aren't the user's. */
export const ApprovalReason = z.enum(["mode", "write", "address", "untrusted"]).meta({ id: "ApprovalReason" })
export type ApprovalReason = z.infer<typeof ApprovalReason>

/** The assistant that asks, if a task was delegated to it. */
export const ApprovalDelegation = z
  .object({
    toolCallId: z.string().meta({ description: "The call of this chat's answer that gave the task away" }),
    assistantId: Id,
    handle: z.string(),
  })
  .meta({ id: "ApprovalDelegation" })
export type ApprovalDelegation = z.infer<typeof ApprovalDelegation>

const approvalRequest = {
  ...toolCall,
  reason: z.string().meta({ description: "Why the call waits, in a sentence for a person" }),
  sentence: SentenceBody.optional(),
  reasonCode: ApprovalReason,
  expiresAt: Timestamp.meta({ description: "Afterwards the call counts as denied" }),
  delegation: ApprovalDelegation.optional().meta({
    description: "Missing where the chat's own assistant asks",
  }),
}

/** A tool call that waits for approval. */
export const PendingApproval = z
  .object({ ...approvalRequest, messageId: Id, createdAt: Timestamp })
  .meta({ id: "PendingApproval" })
export type PendingApproval = z.infer<typeof PendingApproval>

/** A waiting tool call, with its chat. */
export const WaitingApproval = PendingApproval.extend({
  chatId: z.string(),
  title: z.string().meta({ description: "Of the chat" }),
  assistantId: Id.nullable().meta({ description: "The chat's assistant that asks; null where it has none" }),
}).meta({ id: "WaitingApproval" })
export type WaitingApproval = z.infer<typeof WaitingApproval>

export const ApprovalAnswer = z
  .object({
    decision: z.enum(["allow", "deny"]),
    remember: z
      .literal("chat")
      .nullish()
      .meta({ description: "With `allow`: the same tool isn't asked about again in this chat" }),
  })
  .meta({ id: "ApprovalAnswer" })
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>

/** An event of the chat stream. Clients ignore types that they don't know. */
export const ChatEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("start"), chatId: z.string(), messageId: Id }),
    Source.extend({ type: z.literal("source") }),
    z.object({ type: z.literal("text-delta"), textDelta: z.string() }),
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("reasoning-delta"), textDelta: z.string() }),
    z.object({ type: z.literal("tool-call"), ...toolCall }),
    toolResult,
    ...toolParts,
    z.object({ type: z.literal("tool-approval-request"), ...approvalRequest }),
    notice,
    z.object({
      type: z.literal("progress"),
      stage: z.enum(["reading", "combining"]),
      done: z.int(),
      total: z.int(),
      unit: z.literal("parts"),
      secondsLeft: z
        .int()
        .optional()
        .meta({ description: "While parts are read: how long all of it will still take, about" }),
      fileName: z.string().optional().meta({ description: "The file that is being read" }),
    }),
    coverage,
    failed,
    z.object({ type: z.literal("finish"), finishReason: FinishReason, usage: Usage }),
  ])
  .meta({ id: "ChatEvent" })
export type ChatEvent = z.infer<typeof ChatEvent>

/** A stored part of a message. */
export const MessagePart = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("reasoning"), text: z.string() }),
    Source.extend({ type: z.literal("source") }),
    notice,
    coverage,
    failed,
    z.object({ type: z.literal("tool-call"), ...toolCall }),
    toolResult,
    ...toolParts,
  ])
  .meta({ id: "MessagePart" })
export type MessagePart = z.infer<typeof MessagePart>

export const StreamStatus = z
  .enum(["active", "completed", "aborted", "error", "not_found"])
  .meta({ id: "StreamStatus" })
export type StreamStatus = z.infer<typeof StreamStatus>

export const chat = {
  send: stream({
    method: "post",
    path: "/api/ai/chat",
    summary: "Ask; the answer streams as Server-Sent Events",
    scope: "assistants",
    body: ChatRequest,
    event: ChatEvent,
  }),
  prepare: json({
    method: "post",
    path: "/api/ai/chat/prepare",
    summary:
      "Have the model read ahead what a conversation with an assistant, or about folders, begins with, so that the next question pays for itself only",
    scope: "assistants",
    status: 202,
    body: z.object({
      assistantId: Id.nullish(),
      vector: z.array(Id).max(50).nullish().meta({ description: "As the question will name them" }),
      builtInTools: ToolsOfQuestion.nullish().meta({
        description: "As the question will name them, where no assistant answers",
      }),
    }),
    output: z.object({ success: z.literal(true) }),
  }),
  estimateReading: json({
    method: "post",
    path: "/api/public/chat/reading-estimate",
    summary: "How long reading all of folders or files would take for a question; nothing is read or stored",
    scope: "assistants",
    body: ReadingEstimateRequest,
    output: ReadingEstimate,
  }),
  attach: stream({
    method: "get",
    path: "/api/ai/chat/:chatId/stream",
    summary: "Re-attach to a running stream; `Last-Event-ID` replays what was missed",
    scope: "assistants",
    event: ChatEvent,
  }),
  stop: json({
    method: "post",
    path: "/api/ai/chat/:chatId/stop",
    summary: "Stop the running stream of a chat",
    scope: "assistants",
    output: z.object({ success: z.boolean(), message: z.string() }),
  }),
  status: json({
    method: "get",
    path: "/api/ai/chat/:chatId/stream-status",
    summary: "State of a chat's last stream",
    scope: "assistants",
    output: z.object({
      status: StreamStatus,
      isActive: z.boolean(),
      startTime: Timestamp.nullable(),
      lastActivity: Timestamp.nullable(),
      messageCount: z.int(),
      pendingApprovals: z.int().meta({
        description: "Calls of the newest answer that wait; it is `completed` until the last one is answered",
      }),
    }),
  }),
  activity: json({
    method: "get",
    path: "/api/ai/activity",
    summary:
      "What goes on in all of the caller's chats: answers being written, and calls that wait for an approval",
    scope: "assistants",
    output: z.object({
      answering: z.array(z.string()).meta({ description: "Ids of chats whose answer is being written" }),
      approvals: z.array(WaitingApproval).meta({ description: "Oldest first, 100 at most" }),
    }),
  }),
  approvals: json({
    method: "get",
    path: "/api/ai/chat/:chatId/approvals",
    summary: "Tool calls of a chat that wait for an approval, oldest first",
    scope: "assistants",
    output: z.object({ approvals: z.array(PendingApproval) }),
  }),
  approve: json({
    method: "post",
    path: "/api/ai/chat/:chatId/approvals/:toolCallId",
    summary:
      "Allow or deny a tool call; the last answer resumes the turn, as a new stream of the same message",
    access: "full",
    body: ApprovalAnswer,
    output: z.object({
      success: z.literal(true),
      messageId: Id,
      resumed: z.boolean().meta({ description: "false while other calls of the turn still wait" }),
    }),
  }),
  file: bytes({
    method: "get",
    path: "/api/public/chats/:id/files/:fileId",
    summary: "Download a file that a tool made in a conversation",
    scope: "assistants",
    mediaType: "application/octet-stream",
  }),
} as const
