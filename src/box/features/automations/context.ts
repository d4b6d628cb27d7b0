import type { ChatRequest } from "../../../shared/contract/chat.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { AlsoWrite, AnyTransaction, DbOf } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import type { RunStore } from "./run-store.ts"
import type { AutomationRow, AutomationStore } from "./store.ts"

/** The chat functions that a run needs. */
interface RunChats {
  ask(
    caller: Caller,
    request: ChatRequest,
    how: { also: AlsoWrite; deniesCalls: boolean; isDryRun: boolean; quoted: readonly string[] },
  ): Promise<unknown>
  stop(ownerId: string, chatId: string): Promise<unknown>
  /** Denies all calls that wait for approval in a chat. */
  deny(caller: Caller, chatId: string): Promise<void>
  status(ownerId: string, chatId: string): Promise<{ status: string; pendingApprovals: number }>
}

/** An indexed file, as reported by the folders feature. */
export interface Arrival {
  folderId: string
  fileId: string
  revision: number
  isNew: boolean
  path: string | null
}

/** A passage that answers a standing question. */
export interface FoundPassage {
  fileName: string
  text: string
}

/** The reason why a run or an automation ended. */
export interface Reason {
  message: string
  sentence?: SentenceBody | undefined
}

/** The parts of the server that automations use. */
export interface AutomationsDeps {
  db: DbOf<"automations">
  bus: EventBus
  logger: Logger
  /** Aborted when the box is stopping: runs that end now were interrupted. */
  stopping: AbortSignal
  /** In milliseconds since 1970; tests use their own clock. */
  now(): number
  boxAddress(): string
  /** Notifies that the owner's automations have changed. */
  changed(ownerId: string): void
  chats: RunChats
  /** Returns the text of a chat's last answer. */
  answerText(ownerId: string, chatId: string): Promise<string>

  /** Returns a file that the owner may read, and whether it is in a folder of theirs; null if there is none. */
  file(ownerId: string, fileId: string): Promise<{ id: string; name: string; isOwn: boolean } | null>
  /** Records that a run reads a file in the file's history, which its folder's owner can see. */
  noteRead(transaction: AnyTransaction, read: { fileId: string; runId: string }): Promise<void>
  files: {
    take(write: (transaction: AnyTransaction, arrivals: Arrival[]) => Promise<void>): Promise<number>
    await(transaction: AnyTransaction, folderIds: readonly string[]): Promise<void>
  }
  /** Returns the chat in which a file was last filed, before the run with the id `before` if given; null if a user filed it, or no one. */
  findFilingChat(transaction: AnyTransaction, fileId: string, before: string | null): Promise<string | null>
  /** Records that a file triggered an automation in the file's history, which its folder's owner can see. */
  noteMatched(
    transaction: AnyTransaction,
    match: { fileId: string; runId: string; automation: string },
  ): Promise<void>

  /** Returns those of the folders that don't exist or that the user may not search. */
  findUnusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** Returns those of the folders that the user owns. */
  findOwnFolders(userId: string, folderIds: readonly string[]): Promise<string[]>
  isModel(modelId: string): Promise<boolean>
  /** Returns the folders and accounts that an assistant can access; null if the user may not use the assistant. */
  assistant(
    userId: string,
    assistantId: string,
  ): Promise<{ vectorIds: readonly string[]; usesAccounts: boolean } | null>
  isRevoked(keyId: string): Promise<boolean>
  /** Calls `onEnd` when a credential ends, until disposed; immediately if it has already ended. */
  whileValid(credentialId: string, onEnd: () => void): Disposable
  /** Returns the ids of users who may not use the box. */
  disabledIds(): Promise<readonly string[]>

  /** Notifies a run's owner how it ended; `also` is written in the same transaction. */
  notify(
    run: {
      ownerId: string
      runId: string
      chatId: string | null
      automation: string
      answerText: string | null
      why: Reason | null
    },
    also: AlsoWrite,
  ): Promise<void>
  notifySwitchedOff(ownerId: string, automation: { id: string; name: string; why: Reason }): Promise<void>
  standingQuestions: {
    /** Returns the best passages from folders that the user may search, best first. */
    search(ownerId: string, query: string, vectorIds: readonly string[]): Promise<FoundPassage[]>
    /** Notifies the owner of the previous and the current text of the passages that differ. */
    notify(
      automation: AutomationRow,
      before: readonly FoundPassage[],
      now: readonly FoundPassage[],
    ): Promise<void>
  }
}

/** The parts of the server that automations use, and the stores of automations. */
export interface AutomationContext extends AutomationsDeps {
  store: AutomationStore
  runs: RunStore
}
