import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { ChatEvent, ChatRequest } from "../../../shared/contract/chat.ts"
import type { Scope } from "../../../shared/contract/endpoint.ts"
import type { FileFilter } from "../../../shared/contract/file-filter.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import type { FolderEntry, Notice, Passage } from "../../../shared/contract/folders.ts"
import type { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { Question, QuestionDraft } from "../../../shared/contract/questions.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import type { Block } from "../../parsers/parser.ts"

/** An answer in progress. */
export interface AnswerRun {
  follow(lastEventId: undefined, signal: AbortSignal): AsyncIterable<{ event: ChatEvent }>
  stop(): void
  /** Resolves when the answer is complete and stored. */
  readonly ended: Promise<void>
}

/**
 * Operations of the tools, the same as in the server's other APIs. Each refuses what the user may not see. Files that a model wrote are
 * hidden unless their folder includes them.
 */
export interface McpServerDeps {
  version: string
  logger: Logger
  folders(userId: string): Promise<readonly FolderEntry[]>
  files(
    userId: string,
    folderId: string,
    query: { limit: number; offset: number; search?: string | undefined },
  ): Promise<{ total: number; files: FileEntry[] }>
  /** The folder of a file, regardless of its owner; null if the file doesn't exist. */
  getFolder(fileId: string): Promise<string | null>
  file(userId: string, folderId: string, fileId: string): Promise<FileEntry>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
  search(
    userId: string,
    query: {
      query: string
      vectorIds: readonly string[]
      topK?: number | undefined
      filter?: FileFilter | undefined
    },
  ): Promise<{ results: Passage[]; notices: Notice[] }>
  /** URL of a passage in the app. */
  link(boxAddress: string, passage: Passage): string
  /** ID of an assistant that the user may use, found by its ID, handle or name; null if there is none. */
  assistantId(userId: string, named: string): Promise<string | null>
  ask(caller: Caller, request: ChatRequest): Promise<AnswerRun>
  notify(userId: string, draft: NotificationDraft): Promise<{ id: string; delivered: boolean }>
  askPerson(caller: Caller, draft: QuestionDraft): Promise<Question>
  /** Returns the question when it is decided, or its current state after this many seconds. Throws the signal's reason. */
  question(caller: Caller, id: string, waitSeconds: number, signal: AbortSignal): Promise<Question>
}

/** The caller of a tool, and how the call is aborted. */
export interface ToolCall {
  caller: Caller
  /** The base URL at which the caller reaches the server; links start with it. */
  boxAddress: string
  /** Aborted when the caller cancels the call or disconnects. */
  signal: AbortSignal
  /** Reports progress to callers that asked for it. */
  progress(message: string): void
}

/** A tool that the server offers to programs. */
export interface McpTool {
  name: string
  title: string
  /** Description for the model that chooses the tool. */
  description: string
  /** A restricted key can call the tool if it has one of these scopes. */
  scopes: readonly Scope[]
  /** Whether the tool changes nothing. */
  readOnly: boolean
  input: z.ZodObject
  /** Any error it throws is returned to the model as a message. */
  run(input: unknown, call: ToolCall): Promise<CallToolResult>
}

/** A tool whose arguments are validated against its input schema before it runs. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "run"> & {
    input: Input
    run(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>
  },
): McpTool {
  return { ...tool, run: (input, call) => tool.run(tool.input.parse(omitNulls(input)), call) }
}

/** Models send null for omitted arguments. */
function omitNulls(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return {}
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** A tool result as data for programs, and as text for models that read only text. */
export function jsonResult(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
}

/**
 * A text with a maximum length. The schema leaves the maximum out, because models whose output is constrained by schemas, including the
 * server's own, can't count that far.
 */
export const longText = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => text.length <= maxLength, { error: `longer than ${maxLength} characters` })

export const mayCall = ({ scopes }: Pick<Caller, "scopes">, tool: Pick<McpTool, "scopes">): boolean =>
  scopes === null || tool.scopes.some((scope) => scopes.includes(scope))
