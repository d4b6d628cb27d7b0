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

export const Role = z
  .enum(["user", "assistant", "system"])
  .meta({ id: "Role", description: "Author of a message." })
export type Role = z.infer<typeof Role>

/** Chosen by the caller: any text that is valid in an address. */
export const ChatId = atMost(200, z.string().min(1, wrong("not_empty")))
  .refine((id) => id !== "." && id !== "..", wrong("chat_id_dots"))
  .refine((id) => id.isWellFormed(), wrong("half_character"))

export const ChatMessage = z
  .object({
    role: Role.describe("Author of the message."),
    content: z.string().describe("Text of the message."),
  })
  .meta({ id: "ChatMessage", description: "A message in a request." })
export type ChatMessage = z.infer<typeof ChatMessage>

/** A file attached to a message, stored in the chat's own folder. */
export const Attachment = z
  .object({
    fileId: Id.describe("The file."),
    name: z.string().describe("Name of the file."),
    mediaType: z.string().describe("Media type of the file, such as `application/pdf`."),
    size: z.int().describe("Size of the file in bytes."),
  })
  .meta({ id: "Attachment", description: "A file attached to a message, stored in the chat's own folder." })
export type Attachment = z.infer<typeof Attachment>

/** A file that a question refers to, as it was at the time. */
export const AskedFile = z
  .object({
    fileId: Id.describe("The file."),
    vectorId: Id.describe("Folder of the file."),
    name: z.string().describe("Name of the file at that time."),
  })
  .meta({ id: "AskedFile", description: "A file that a question refers to, with its name at that time." })
export type AskedFile = z.infer<typeof AskedFile>

/** How much of the documents is read for an answer. */
export const Reading = z.enum(["auto", "passages", "whole"]).meta({
  id: "Reading",
  description:
    "How much of the documents is read for an answer. `passages`: the best passages. `whole`: all of the text. `auto`: the question decides.",
})
export type Reading = z.infer<typeof Reading>

/** Whether a question that needs what was said before may be rewritten for the search. */
export const Rewrite = z.enum(["auto", "off"]).meta({
  id: "Rewrite",
  description:
    "Whether a follow-up question may be rewritten for the search. `auto`: the chat's model writes a query if needed. `off`: the question is used as it is.",
})
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
      .describe(
        "Names of the columns, 1 to 12, each up to 60 characters. Columns for the document and the location of each row are added.",
      ),
  })
  .meta({ id: "FactTable", description: "A table that covers everything that the question is about." })
export type FactTable = z.infer<typeof FactTable>

export const ChatRequest = z
  .object({
    id: ChatId.describe(
      "Identifier of the chat, chosen by the caller. The first request creates the chat, further requests continue it.",
    ),
    messages: z
      .array(ChatMessage)
      .min(1, wrong("one_message"))
      .max(10_000)
      .describe("Full history in chronological order with the new message last, at most 10,000 messages."),
    boxAddress: z
      .url({ protocol: /^https?$/, ...wrong("absolute_url") })
      .max(2000)
      .describe(
        "Address at which the caller reaches this server. It is used only to create links in citations.",
      ),
    assistantId: Id.nullish().describe(
      "Assistant that answers. It brings its instructions, folders and tools.",
    ),
    modelId: ModelId.nullish().describe(
      "Model that answers. Default: the assistant's model, or the server's chat model.",
    ),
    vector: z
      .array(Id)
      .max(50)
      .nullish()
      .describe("Folders to search, at most 50. They are searched together with the assistant's folders."),
    approvals: z
      .enum(["wait", "deny"])
      .optional()
      .describe(
        "What happens to tool calls that need approval. `wait` (the default): the answer pauses until someone decides. `deny`: they are denied and the answer continues.",
      ),
    attachments: z
      .array(Id)
      .max(50)
      .nullish()
      .describe(
        "Files of the chat's own folder that belong to the new message, at most 50. Default: those uploaded since the previous message.",
      ),
    reading: Reading.optional().describe("How much of the documents is read. Default `auto`."),
    fileIds: z
      .array(Id)
      .max(maxAskedFiles)
      .nullish()
      .describe("Files to read in place of whole folders. Only with `reading` `whole` or `auto`."),
    includeGenerated: IncludeGenerated.optional().describe(
      "true also searches files that a model wrote. Default: the setting of each folder.",
    ),
    rewrite: Rewrite.optional().describe(
      "Whether a follow-up question may be rewritten for the search. Default `auto`.",
    ),
    filter: FileFilter.nullish().describe(
      "Restricts which files of the folders are searched and read. Attachments are always included.",
    ),
    projectId: Id.nullish().describe(
      "Project of a chat that this request creates. It has no effect on a chat that exists.",
    ),
    table: FactTable.nullish().describe(
      "Asks for one table as the answer, with rows from everything that the question is about. It implies `reading` `whole`.",
    ),
    builtInTools: ToolsOfQuestion.nullish().describe(
      "Tools that may be called if no assistant answers, by tool key. Default: none. An assistant uses its own tools.",
    ),
  })
  .meta({ id: "ChatRequest", description: "A question, with the history of its chat." })
export type ChatRequest = z.infer<typeof ChatRequest>

const { assistantId, modelId, vector, fileIds } = ChatRequest.shape

/** A question for which whole documents may be read, with the same fields as its request. */
export const ReadingEstimateRequest = z
  .object({
    id: ChatId.optional().describe("The chat. Files attached to its next question are then included."),
    content: z
      .string()
      .optional()
      .describe("The question. Text that was already read for it isn't counted again."),
    assistantId: assistantId.describe("Assistant that would answer."),
    modelId: modelId.describe("Model that would answer."),
    vector: vector.describe("Folders to read, at most 50."),
    fileIds: fileIds.describe("Files to read in place of whole folders."),
    includeGenerated: IncludeGenerated.optional().describe("true includes files that a model wrote."),
    filter: FileFilter.nullish().describe("Restricts which files are read."),
  })
  .meta({
    id: "ReadingEstimateRequest",
    description:
      "A question for which whole documents may be read, with the same fields as its chat request.",
  })
export type ReadingEstimateRequest = z.infer<typeof ReadingEstimateRequest>

/** The effort of reading all that a question is about. */
export const ReadingEstimate = z
  .object({
    files: z.int().describe("Files to read."),
    characters: z.int().describe("Characters of their text."),
    estimatedSeconds: z.int().describe("Estimated duration in seconds."),
    estimatedTokens: z.int().describe("Tokens of text that the model would read."),
    fits: z
      .boolean()
      .describe(
        "false if it exceeds the limit `wholeLimit` of the settings. The question would then be 422 `too_much_to_read`.",
      ),
    isMeasured: z.boolean().describe("true if the estimate is based on what this model has read before."),
    isDecided: z.boolean().describe("true if `reading` `auto` would read everything for this `content`."),
  })
  .meta({
    id: "ReadingEstimate",
    description: "What reading everything that a question is about would take.",
  })
export type ReadingEstimate = z.infer<typeof ReadingEstimate>

export const FinishReason = z.enum(["stop", "length", "tool-calls", "aborted", "error"]).meta({
  id: "FinishReason",
  description: "Why an answer ended. `tool-calls` means that tool calls wait for approval.",
})
export type FinishReason = z.infer<typeof FinishReason>

export const Usage = z
  .object({
    promptTokens: z.int().describe("Tokens that the model read."),
    completionTokens: z.int().describe("Tokens that the model wrote."),
    totalTokens: z.int().describe("Sum of both."),
    firstTokenMs: z
      .number()
      .nullable()
      .describe("Milliseconds until the first token; null if no token was written."),
    tokensPerSecond: z.number().nullable().describe("Tokens written per second; null if unknown."),
  })
  .meta({ id: "Usage", description: "Tokens and speed of an answer." })
export type Usage = z.infer<typeof Usage>

/** A passage with the number that `[n]` in the answer refers to. */
export const Source = Passage.extend({
  citation: z.int().positive().describe("Number that `[n]` in the answer refers to."),
  url: z.string().describe("Link to the passage in its document, beginning with the request's `boxAddress`."),
}).meta({ id: "Source", description: "A passage that an answer cites, with the number of its citation." })
export type Source = z.infer<typeof Source>

const toolCall = {
  toolCallId: z.string().describe("Identifier of the tool call."),
  toolName: z.string().describe("Name of the tool."),
  args: z.unknown().describe("Arguments as the model wrote them: JSON, or text if they aren't JSON."),
}

/** A notice from the box about an answer. */
const notice = Notice.extend({
  type: z.literal("notice").describe("A notice about the answer."),
  tools: z
    .array(z.string())
    .optional()
    .describe("Names of the tools whose calls were refused. Only for `call_refused`."),
  files: z
    .array(AskedFile)
    .optional()
    .describe(
      "Files that were still being indexed, at most 100. Only for `files_being_read` and `attachment_unread`.",
    ),
})
export type AnswerNotice = Omit<z.infer<typeof notice>, "type">

/** How much of each file was read for an answer from whole documents. */
export const Coverage = z
  .object({
    files: z
      .array(
        z.object({
          fileId: Id.describe("The file."),
          name: z.string().describe("Name of the file."),
          read: z.int().describe("Units that were read."),
          of: z.int().describe("Units that the file has."),
          unit: z.enum(["page", "sheet", "slide", "line", "part"]).describe("Unit of `read` and `of`."),
          skipped: z
            .string()
            .nullable()
            .describe("Why the file wasn't read completely, in a sentence for people; null if it was."),
          sentences: z
            .array(SentenceBody)
            .optional()
            .describe("Codes and values of the sentences in `skipped`, as far as known."),
        }),
      )
      .describe("Coverage of each file."),
    complete: z.boolean().describe("true if nothing was skipped."),
  })
  .meta({ id: "Coverage", description: "How much of each file was read for an answer from whole documents." })
export type Coverage = z.infer<typeof Coverage>

const coverage = Coverage.extend({ type: z.literal("coverage").describe("How much of each file was read.") })

const failed = z.object({
  type: z.literal("error").describe("The answer failed."),
  error: z.string().describe("What happened, in a sentence for people."),
  code: ErrorCode.describe("Error code for programs."),
  sentence: SentenceBody.optional(),
})

const toolResult = z.object({
  type: z.literal("tool-result").describe("The result of a tool call."),
  toolCallId: z.string().describe("The tool call."),
  result: z.unknown().describe("Result of the tool, as text or JSON."),
  durationMs: z.number().optional().describe("Milliseconds that the call took. Missing if it didn't run."),
  deniedByUser: z
    .literal(true)
    .optional()
    .describe("true if the call didn't run because its owner denied it."),
})

/** Parts that tools add to an answer, in addition to their results. */
const toolParts = [
  z.object({
    type: z.literal("widget").describe("A widget that a tool created."),
    toolCallId: z.string().describe("The tool call that created the widget."),
    title: z.string().describe("Title of the widget."),
    html: z.string().describe("HTML page written by the model. Show it only in a sandboxed frame."),
  }),
  z.object({
    type: z.literal("chart").describe("A chart that a tool created."),
    toolCallId: z.string().describe("The tool call that created the chart."),
    chart: Chart.describe("The chart."),
  }),
  z.object({
    type: z.literal("file").describe("A file that a tool created."),
    toolCallId: z.string().describe("The tool call that created the file."),
    fileId: Id.describe("Identifier for `GET /api/public/chats/{id}/files/{fileId}`."),
    name: z.string().describe("Name of the file."),
    mediaType: z.string().describe("Media type of the file."),
    size: z.int().describe("Size of the file in bytes."),
  }),
] as const

/** Why a call waits: every call needs approval, it changes something, or it contains an address or words that aren't the user's. */
export const ApprovalReason = z.enum(["mode", "write", "address", "untrusted"]).meta({
  id: "ApprovalReason",
  description:
    "Why a tool call needs approval. `mode`: the permission mode asks for every call. `write`: the call changes something. `address`: it contains a web address that isn't the user's. `untrusted`: it contains words from content that isn't the user's.",
})
export type ApprovalReason = z.infer<typeof ApprovalReason>

/** The assistant that asks, if a task was delegated to it. */
export const ApprovalDelegation = z
  .object({
    toolCallId: z.string().describe("Call in the chat's answer that delegated the task."),
    assistantId: Id.describe("Assistant that makes the call."),
    handle: z.string().describe("Handle of that assistant."),
  })
  .meta({
    id: "ApprovalDelegation",
    description: "The assistant that a task was delegated to and that makes the call.",
  })
export type ApprovalDelegation = z.infer<typeof ApprovalDelegation>

const approvalRequest = {
  ...toolCall,
  reason: z.string().describe("Why the call needs approval, in a sentence for people."),
  sentence: SentenceBody.optional(),
  reasonCode: ApprovalReason.describe("Why the call needs approval, for programs."),
  expiresAt: Timestamp.describe("When the call is denied if no one has decided."),
  delegation: ApprovalDelegation.optional().describe(
    "Assistant that makes the call. Missing if it is the chat's own assistant.",
  ),
}

/** A tool call that waits for approval. */
export const PendingApproval = z
  .object({
    ...approvalRequest,
    messageId: Id.describe("Answer that the call belongs to."),
    createdAt: Timestamp.describe("When the call was made."),
  })
  .meta({ id: "PendingApproval", description: "A tool call that waits for approval." })
export type PendingApproval = z.infer<typeof PendingApproval>

/** A waiting tool call, with its chat. */
export const WaitingApproval = PendingApproval.extend({
  chatId: z.string().describe("The chat."),
  title: z.string().describe("Title of the chat."),
  assistantId: Id.nullable().describe("Assistant of the chat; null if it has none."),
}).meta({ id: "WaitingApproval", description: "A tool call that waits for approval, with its chat." })
export type WaitingApproval = z.infer<typeof WaitingApproval>

export const ApprovalAnswer = z
  .object({
    decision: z.enum(["allow", "deny"]).describe("`allow` runs the call, `deny` doesn't."),
    remember: z
      .literal("chat")
      .nullish()
      .describe("`chat` allows further calls of the same tool in this chat. Only with `allow`."),
  })
  .meta({ id: "ApprovalAnswer", description: "A decision on a tool call." })
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>

/** An event of the chat stream. Clients ignore types that they don't know. */
export const ChatEvent = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("start").describe("The answer starts."),
      chatId: z.string().describe("The chat."),
      messageId: Id.describe("Identifier of the answer."),
    }),
    Source.extend({ type: z.literal("source").describe("A passage that the answer may cite.") }),
    z.object({
      type: z.literal("text-delta").describe("More text, if the setting `textEvent` is `text-delta`."),
      textDelta: z.string().describe("Text to append to the answer."),
    }),
    z.object({
      type: z.literal("text").describe("More text, if the setting `textEvent` is `text`."),
      text: z.string().describe("Text to append to the answer."),
    }),
    z.object({
      type: z.literal("reasoning-delta").describe("More of the model's reasoning."),
      textDelta: z.string().describe("Text to append to the reasoning."),
    }),
    z.object({ type: z.literal("tool-call").describe("The model calls a tool."), ...toolCall }),
    toolResult,
    ...toolParts,
    z.object({
      type: z.literal("tool-approval-request").describe("A tool call waits for approval."),
      ...approvalRequest,
    }),
    notice,
    z.object({
      type: z.literal("progress").describe("Progress of reading whole documents."),
      stage: z
        .enum(["reading", "combining"])
        .describe("`reading`: parts of the documents are read. `combining`: their results are combined."),
      done: z.int().describe("Parts that are done."),
      total: z.int().describe("Parts in total."),
      unit: z.literal("parts").describe("Unit of `done` and `total`."),
      secondsLeft: z
        .int()
        .optional()
        .describe("Estimated seconds until the end of this stage. Only for `reading`."),
      fileName: z.string().optional().describe("Name of the file that is being read."),
    }),
    coverage,
    failed,
    z.object({
      type: z.literal("finish").describe("The stream ends."),
      finishReason: FinishReason.describe("Why the answer ended."),
      usage: Usage.describe("Tokens and speed of the answer."),
    }),
  ])
  .meta({ id: "ChatEvent", description: "An event of the chat stream. Ignore types that you don't know." })
export type ChatEvent = z.infer<typeof ChatEvent>

/** A stored part of a message. */
export const MessagePart = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("text").describe("Text of the message."),
      text: z.string().describe("The text."),
    }),
    z.object({
      type: z.literal("reasoning").describe("Reasoning of the model."),
      text: z.string().describe("The text."),
    }),
    Source.extend({ type: z.literal("source").describe("A passage that the answer may cite.") }),
    notice,
    coverage,
    failed,
    z.object({ type: z.literal("tool-call").describe("A tool call of the model."), ...toolCall }),
    toolResult,
    ...toolParts,
  ])
  .meta({ id: "MessagePart", description: "A part of a stored message." })
export type MessagePart = z.infer<typeof MessagePart>

export const StreamStatus = z.enum(["active", "completed", "aborted", "error", "not_found"]).meta({
  id: "StreamStatus",
  description: "State of the newest stream of a chat. `not_found` means that there is none.",
})
export type StreamStatus = z.infer<typeof StreamStatus>

export const chat = {
  send: stream({
    method: "post",
    path: "/api/ai/chat",
    summary: "Ask a question",
    description:
      "Streams the answer as Server-Sent Events. Each `data:` line is one event. Errors before the stream starts are JSON; later ones are an `error` event, and the stream still ends with `finish`. Only one answer is written at a time in a chat.",
    errors: [
      "not_found",
      "local_only",
      "unsupported_content",
      "chat_busy",
      "conflict",
      "assistant_disabled",
      "too_much_to_read",
      "quota_exceeded",
      "no_model",
      "unavailable",
    ],
    scope: "assistants",
    body: ChatRequest,
    event: ChatEvent,
  }),
  prepare: json({
    method: "post",
    path: "/api/ai/chat/prepare",
    summary: "Prepare for a question",
    description:
      "Lets a local model read the instructions of an assistant in advance, so that the next question is answered sooner. Returns at once.",
    errors: ["not_found", "assistant_disabled"],
    scope: "assistants",
    status: 202,
    body: z.object({
      assistantId: Id.nullish().describe("Assistant that the question will be for."),
      vector: z.array(Id).max(50).nullish().describe("Folders that the question will search, at most 50."),
      builtInTools: ToolsOfQuestion.nullish().describe(
        "Tools that the question will name, if no assistant answers.",
      ),
    }),
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
  estimateReading: json({
    method: "post",
    path: "/api/public/chat/reading-estimate",
    summary: "Estimate reading whole documents",
    description:
      "Returns how much text whole-document reading would cover and how long it would take. Nothing is read or stored.",
    errors: ["not_found", "no_model"],
    scope: "assistants",
    body: ReadingEstimateRequest,
    output: ReadingEstimate,
  }),
  attach: stream({
    method: "get",
    path: "/api/ai/chat/:chatId/stream",
    summary: "Resume a stream",
    description:
      "Streams the events of the answer that is being written. With the header `Last-Event-ID`, it begins after that event; otherwise with the first event. 404 if the chat has no stream.",
    scope: "assistants",
    event: ChatEvent,
  }),
  stop: json({
    method: "post",
    path: "/api/ai/chat/:chatId/stop",
    summary: "Stop an answer",
    description:
      "Stops the answer that is being written in a chat. Text that was sent stays valid. It is safe to call if nothing is being written.",
    scope: "assistants",
    output: z.object({
      success: z.boolean().describe("true if an answer was stopped, false if none was being written."),
      message: z.string().describe("What happened, in a sentence for people."),
    }),
  }),
  status: json({
    method: "get",
    path: "/api/ai/chat/:chatId/stream-status",
    summary: "Get the state of a stream",
    description:
      "Returns the state of the newest stream of a chat. An unknown chat has the status `not_found`.",
    scope: "assistants",
    output: z.object({
      status: StreamStatus,
      isActive: z.boolean().describe("true while an answer is being written."),
      startTime: Timestamp.nullable().describe("When the stream started; null if there is none."),
      lastActivity: Timestamp.nullable().describe(
        "When the stream last sent an event; null if there is none.",
      ),
      messageCount: z.int().describe("Messages of the chat."),
      pendingApprovals: z
        .int()
        .describe(
          "Tool calls of the newest answer that wait for approval. The status is `completed` while they wait.",
        ),
    }),
  }),
  activity: json({
    method: "get",
    path: "/api/ai/activity",
    summary: "List running answers and approvals",
    description: "Returns what is going on in all chats of the caller.",
    scope: "assistants",
    output: z.object({
      answering: z.array(z.string()).describe("Chats in which an answer is being written."),
      approvals: z
        .array(WaitingApproval)
        .describe("Tool calls that wait for approval, oldest first, at most 100."),
    }),
  }),
  approvals: json({
    method: "get",
    path: "/api/ai/chat/:chatId/approvals",
    summary: "List pending approvals of a chat",
    description: "Returns the tool calls of a chat that wait for approval, oldest first.",
    scope: "assistants",
    output: z.object({ approvals: z.array(PendingApproval).describe("Tool calls that wait, oldest first.") }),
  }),
  approve: json({
    method: "post",
    path: "/api/ai/chat/:chatId/approvals/:toolCallId",
    summary: "Decide on a tool call",
    description:
      "Allows or denies a tool call. After the last decision the answer resumes, as a new stream of the same message. Needs full rights.",
    errors: ["conflict", "chat_busy"],
    access: "full",
    body: ApprovalAnswer,
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      messageId: Id.describe("Answer that the call belongs to."),
      resumed: z.boolean().describe("true if the answer resumed, false while other calls still wait."),
    }),
  }),
  file: bytes({
    method: "get",
    path: "/api/public/chats/:id/files/:fileId",
    summary: "Download a file that a tool created",
    description: "Returns the bytes of a file from a `file` part of an answer.",
    errors: ["range_not_satisfiable"],
    scope: "assistants",
    mediaType: "application/octet-stream",
  }),
} as const
