import type { ChatEvent, ChatRequest } from "../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import type { FolderEntry, Notice, Passage } from "../../../shared/contract/folders.ts"
import type { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { Question, QuestionDraft } from "../../../shared/contract/questions.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import type { Block } from "../../parsers/parser.ts"

/** An answer on its way. */
export interface AnswerRun {
  follow(lastEventId: undefined, signal: AbortSignal): AsyncIterable<{ event: ChatEvent }>
  stop(): void
  /** Settles once the answer is over and stored. */
  readonly ended: Promise<void>
}

/**
 * What the tools do, as the box's other doors do it: each refuses what the user may not see. Files that a model wrote aren't
 * there, unless their folder includes them.
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
  /** The folder of a file, whosever it is; null when there is no such file. */
  folderOf(fileId: string): Promise<string | null>
  file(userId: string, folderId: string, fileId: string): Promise<FileEntry>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
  search(
    userId: string,
    query: { query: string; vectorIds: readonly string[]; topK?: number | undefined },
  ): Promise<{ results: Passage[]; notices: Notice[] }>
  /** Address of a passage in the app. */
  link(boxAddress: string, passage: Passage): string
  /** Id of the assistant that the user may use, by its id, handle or name; null when there is none. */
  assistantId(userId: string, named: string): Promise<string | null>
  ask(caller: Caller, request: ChatRequest): Promise<AnswerRun>
  notify(userId: string, draft: NotificationDraft): Promise<{ id: string; delivered: boolean }>
  askPerson(caller: Caller, draft: QuestionDraft): Promise<Question>
  /** The question once it is decided, or else as it is after so many seconds. Throws the signal's reason. */
  question(caller: Caller, id: string, waitSeconds: number, signal: AbortSignal): Promise<Question>
}
