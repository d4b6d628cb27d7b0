import type { PermissionMode } from "../../../../shared/contract/assistants.ts"
import type {
  AskedFile,
  Attachment,
  ChatEvent,
  ChatMessage,
  MessagePart,
  Rewrite,
  Usage,
} from "../../../../shared/contract/chat.ts"
import type { Origin } from "../../../../shared/contract/conversations.ts"
import type { Scope } from "../../../../shared/contract/endpoint.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { EngineUsage } from "../../../engines/engine.ts"
import type { Approvals, CallPolicy } from "../../../tools/policy/standing.ts"
import type { ContextLabel, MadeFile } from "../../../tools/tool.ts"
import type { RememberedTools, WaitingCall } from "../approvals/approval-store.ts"
import type { Whether } from "../reading/deciding/decide-reading.ts"
import type { InheritedContext } from "../tool-calls/call-context.ts"
import type { FileEvent, ToolProgress } from "../tool-calls/call-tools.ts"
import type { StoredRetrieval } from "../transcript/retrieval-store.ts"
import type { EarlierMessage } from "../transcript/transcript-store.ts"

/** The properties of an assistant that chat needs. */
export interface ChatAssistant {
  id: string
  name: string
  instructions: string
  vectorIds: string[]
  builtInTools: Record<string, boolean>
  permissionMode: PermissionMode
  /** The model that it uses; null: the selected one. */
  modelId: string | null
  /** Whether the user wrote its instructions. */
  owned: boolean
  /** Whether it is the user's own and a key with scopes was the last to write it. */
  isByScopedKey: boolean
}

/** A question and its answer, including pauses for approvals, or a task that one assistant gives another. */
export interface Turn {
  readonly identity: TurnIdentity
  readonly request: TurnRequest
  readonly progress: TurnProgress
  readonly ports: TurnPorts
}

export interface TurnIdentity {
  userId: string
  chatId: string
  /** ID of the answer's message. */
  messageId: string
  /** Lets turns of the same chat reuse what the engine has already evaluated. */
  conversationKey: string
}

/** The validated request. It stays the same until the turn ends. */
export interface TurnRequest {
  messages: readonly ChatMessage[]
  assistant: ChatAssistant | null
  /** Tools that are switched on if there is no assistant. */
  builtInTools: Readonly<Record<string, boolean>>
  /** The project that the chat is or will be in, and its instructions for models. */
  projectId: string | null
  projectInstructions: string
  /**
   * Whether a scoped key wrote what the answer follows: the project, the assistant, a question of the chat, or a remembered fact. If so,
   * neither `bypass` nor an approval for the chat waives approvals.
   */
  isByScopedKey: boolean
  /** Folders named by the question or its project. */
  namedVectorIds: readonly string[]
  /** Folders to search. If there are none, the model answers alone. */
  vectorIds: string[]
  /** The files in the folders that the question is about, as found; null: all files. */
  askedFiles: readonly AskedFile[] | null
  /** Model-written files that are searched and read: all if requested, or those that the question names. */
  generated: GeneratedFiles
  rewrite: Rewrite
  /** Narrows the files of the folders that are searched and read; null: all of them. */
  filter: FileFilter | null
  /** Set if whole documents must be read. */
  whole: Whether["whole"]
  /** The model that answers; null: the selected one. */
  modelId: string | null
  boxAddress: string
  origin: Origin
  /** Scopes of the credential that sent the request; null: full rights. */
  scopes: readonly Scope[] | null
  /** Whether that credential is an API key from a restored backup that no owner had confirmed. */
  isUnconfirmed: boolean
  /** Whether calls may wait for their owner. */
  approvals: Approvals
  /** Notices shown to the user before the answer starts. */
  notices: readonly Notice[]
  /** Why the configured model can't be used. */
  modelFailure: Sentence | null
  /** Set if one assistant works for another. */
  delegation: Delegation | null
}

/** The progress of the answer. */
export interface TurnProgress extends ToolProgress {
  /** The answer when this run of the turn started; empty except after an approval or when resumed. */
  readonly parts: readonly MessagePart[]
  /** Labels of what its model has read so far; null: unknown, so it may be anything. */
  labels: readonly ContextLabel[] | null
}

/** The data that a turn reads and stores. */
export interface TurnPorts {
  /**
   * Returns whether what the chat has read, including these folders, must stay on this computer and may not be sent to a remote model.
   * Called before each such request.
   */
  staysHere(vectorIds: readonly string[]): Promise<boolean>
  /** Returns whether the chat has read any folder so far. */
  hasReadFolders(): Promise<boolean>
  /** Returns the stored messages, one for each of the request's. Called only for tools and for credentials that can't read folders. */
  history(): Promise<EarlierMessage[]>
  /** Returns the attachments of the request's messages by their position. */
  attachments(): Promise<ReadonlyMap<number, readonly Attachment[]>>
  rememberedTools(): Promise<RememberedTools>
  /** Stores with the answer why it is based on its passages. */
  storeRetrieval(retrieval: StoredRetrieval): Promise<void>
  storeFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
}

export interface Delegation {
  /** Assistants in the delegation chain, which can't be given a task again. The first one is the user's. */
  chain: readonly string[]
  /** Whether one of them uses a remote model, which will read the task's result. */
  isReadRemotely: boolean
  /** Permissions of the delegating assistant, so that a task can't bypass its permission mode. */
  standing: CallPolicy
  /** The texts that the delegating assistant has read. */
  inherited: InheritedContext
}

/** If calls wait, the turn must be parked. */
type LoopFinish = Extract<ChatEvent, { type: "finish" }> & { waiting: WaitingCall[] }
/** The finish event with the name of the model that wrote the answer, if any. */
type AnswerFinish = LoopFinish & { model: string | null }

/** Events that carry an answer's text and calls. */
export type LoopEvent =
  | Extract<
      ChatEvent,
      {
        type:
          | "notice"
          | "text-delta"
          | "reasoning-delta"
          | "tool-call"
          | "tool-result"
          | "widget"
          | "chart"
          | "file"
          | "source"
      }
    >
  | LoopFinish

export type AnswerEvent =
  | Exclude<LoopEvent, LoopFinish>
  | AnswerFinish
  | Extract<ChatEvent, { type: "progress" | "coverage" }>

/** Returns the tools that are switched on for an answer. */
export const toolsOn = ({
  assistant,
  builtInTools,
}: Pick<TurnRequest, "assistant" | "builtInTools">): Readonly<Record<string, boolean>> =>
  assistant?.builtInTools ?? builtInTools

export const usesTools = (request: Pick<TurnRequest, "assistant" | "builtInTools">): boolean =>
  Object.values(toolsOn(request)).includes(true)

/** Returns the progress of a new turn. */
export const newProgress = (): TurnProgress => ({
  parts: [],
  labels: [],
  decisions: new Map(),
  spent: nothingSpent(),
  sent: { addresses: new Set(), calls: 0 },
  tasks: new Map(),
})

export const nothingSpent = () => ({ calls: 0, milliseconds: 0, tokens: 0 })

export const noModelError = (code: "chat.no_model_to_go_on" | "chat.no_model_nor_folders") =>
  new AppError("no_model", sentence(code), modelSettings)

export const modelSettings = { details: { action: "/settings/models" } }

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
}

/** Combines the usage of several rounds: the last prompt, which contains the previous ones, and all generated tokens. */
export function addUsage(before: Usage, round: EngineUsage): Usage {
  const completionTokens = before.completionTokens + round.completionTokens
  return {
    promptTokens: round.promptTokens,
    completionTokens,
    totalTokens: round.promptTokens + completionTokens,
    firstTokenMs: before.firstTokenMs ?? round.firstTokenMs,
    tokensPerSecond: round.tokensPerSecond ?? before.tokensPerSecond,
  }
}
