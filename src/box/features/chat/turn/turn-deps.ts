import type { Project } from "../../../../shared/contract/projects.ts"
import type { Settings } from "../../../../shared/contract/settings.ts"
import type { DiskReserve } from "../../../core/disk/disk-space.ts"
import type { EventBus, Push } from "../../../core/event-bus.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { Toolbox } from "../../../tools/registry.ts"
import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { FolderReading } from "../folder-tools/session.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import type { WholeReadingDeps } from "../reading/read-whole.ts"
import type { Runs } from "../streams/runs.ts"
import type { ChatFiles } from "../tool-calls/chat-files.ts"
import type { UnstoredAnswers } from "../transcript/answers/answer-saving.ts"
import type { ChatUpload } from "../transcript/append-turn.ts"
import type { StoredRetrieval } from "../transcript/retrieval-store.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import type { Delegate } from "./delegation/delegate-tool.ts"
import type { Facts } from "./prompt/prompt.ts"
import type { ChatPictures } from "./turn-pictures.ts"
import type { TurnStore } from "./turn-store.ts"
import type { ChatAssistant } from "./turn.ts"

/** Parts of the box outside chat that turns use. */
export interface BoxParts {
  bus: EventBus
  push: Push
  logger: Logger
  reserve: Pick<DiskReserve, "withReserve">
  textEvent(): Settings["textEvent"]

  /** Returns the selected model. */
  engine(): ChatEngine | null
  /** Returns the model with this ID or name, or null if there is none. */
  namedModel(named: string): Promise<ChatEngine | null>

  /** Returns the assistant if it exists and the user may chat with it. Throws `assistant_disabled`. */
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** Returns the assistants that can be given tasks for the user. */
  delegates(userId: string): Promise<Delegate[]>
  toolbox: Toolbox
  /** Returns remembered facts about the user that fit a question. Used only for assistants with the tool `memory`. */
  facts(userId: string, question: string): Promise<Facts>
  /** Returns whether a key with scopes wrote a remembered fact about the user. */
  hasFactsOfScopedKeys(userId: string): Promise<boolean>
  /** Returns a user's project with the folders that the user may search now, or null if there is none. */
  project(userId: string, id: string): Promise<Project | null>

  search: SearchFolders
  folderReading: FolderReading
  /** Returns those of the folders that don't exist or that the user may not see. */
  missingFolders(userId: string, vectorIds: string[]): Promise<string[]>
  /** Returns those of the folders that must stay on this computer, even if they were deleted. */
  stayingFolders(vectorIds: readonly string[]): Promise<readonly { id: string; name: string }[]>
  /** Returns the folder of a chat's attachments. */
  getChatFolder(ownerId: string, chatId: string): Promise<string | null>
  /** Returns the files in the chat's own folder. */
  uploads(ownerId: string, chatId: string): Promise<ChatUpload[]>
  pictures: ChatPictures

  /** Returns the IDs of users who may not use the box. */
  disabledIds(): Promise<string[]>
  /** Calls `onEnd` when the credential ends, until disposed; immediately if it has already ended. */
  whileValid(credentialId: string, onEnd: () => void): Disposable
  /** Returns whether the API key was revoked. */
  isRevoked(keyId: string): Promise<boolean>
  /** Counts a new answer. Throws `quota_exceeded`. */
  countAnswer(userId: string): Promise<void>
  /** Counts the tokens that an answer used. */
  recordTokens(userId: string, tokens: number): Promise<void>
  /** Permanently removes a deleted chat that had this ID. */
  endDeletion(ownerId: string, chatId: string): Promise<void>
}

/** The dependencies of turns. */
export interface TurnDeps {
  box: BoxParts
  runs: Runs
  transcript: TranscriptStore
  turnStore: TurnStore
  approvalStore: ApprovalStore
  /** Stores why an answer is based on its passages. */
  keepRetrieval(messageId: string, retrieval: StoredRetrieval): Promise<void>
  files: Pick<ChatFiles, "keep">
  unstored: Pick<UnstoredAnswers, "keep">
  reading: WholeReadingDeps
  /** Returns the project of a chat, or undefined if there is no such chat. */
  projectOfChat(userId: string, chatId: string): Promise<{ projectId: string | null } | undefined>
}

/** Returns the model of a turn. If it no longer exists, returns the selected one. */
export const modelOfTurn = async (
  box: Pick<BoxParts, "engine" | "namedModel">,
  modelId: string | null,
): Promise<ChatEngine | null> => (modelId === null ? null : await box.namedModel(modelId)) ?? box.engine()
