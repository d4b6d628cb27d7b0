import type { ChatEvent, ChatRequest } from "../../../shared/contract/chat.ts"
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
    query: { query: string; vectorIds: readonly string[]; topK?: number | undefined },
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
