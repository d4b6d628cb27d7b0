import type { PermissionMode } from "../../../../shared/contract/assistants.ts"
import type {
  AskedFile,
  Attachment,
  ChatEvent,
  ChatMessage,
  MessagePart,
} from "../../../../shared/contract/chat.ts"
import type { Origin } from "../../../../shared/contract/conversations.ts"
import type { Scope } from "../../../../shared/contract/endpoint.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Approvals, Standing } from "../../../tools/policy/standing.ts"
import type { ContextLabel, MadeFile } from "../../../tools/tool.ts"
import type { RememberedTools, WaitingCall } from "../approvals/waiting-call.ts"
import type { InheritedContext } from "../tool-calls/call-context.ts"
import type { FileEvent, ToolProgress } from "../tool-calls/tool-use.ts"
import type { KeptRetrieval } from "../transcript/retrieval-store.ts"
import type { EarlierMessage } from "../transcript/answers/stored-answers.ts"
import type { Whether } from "../reading/deciding/whether.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"

/** What chat needs to know of an assistant. */
export interface ChatAssistant {
  id: string
  name: string
  instructions: string
  vectorIds: string[]
  builtInTools: Record<string, boolean>
  permissionMode: PermissionMode
  /** The model that it answers with; null: the chosen one. */
  modelId: string | null
  /** The user wrote its instructions. */
  owned: boolean
}

/** A question and the answer to it, also over a pause for approvals; or a task that one assistant gives another. */
export interface Turn {
  readonly identity: TurnIdentity
  readonly request: TurnRequest
  readonly progress: TurnProgress
  readonly ports: TurnPorts
}

export interface TurnIdentity {
  userId: string
  chatId: string
  /** Of the answer. */
  messageId: string
  /** Turns of one conversation reuse what the engine has already evaluated. */
  conversationKey: string
}

/** What was asked, checked; it stays the same to the end. */
export interface TurnRequest {
  messages: readonly ChatMessage[]
  assistant: ChatAssistant | null
  /** Tools that are switched on where there is none. */
  builtInTools: Readonly<Record<string, boolean>>
  /** The project that the chat is in, or begins in, and what it tells its models. */
  projectId: string | null
  projectInstructions: string
  /** A key with scopes wrote them, or chose the assistant: `bypass` waives no approvals. */
  isProjectByScopedKey: boolean
  /** Folders that the question names, or its project. */
  namedVectorIds: readonly string[]
  /** Folders to search; none means that the model answers alone. */
  vectorIds: string[]
  /** The files of them that are asked about, as they were found; null: all. */
  askedFiles: readonly AskedFile[] | null
  /** Files written by a model that are found and read: all by request, or those that the question names. */
  generated: GeneratedFiles
  /** Set where all of what is asked about is to be read. */
  whole: Whether["whole"]
  /** The model that answers; null: the chosen one. */
  modelId: string | null
  boxAddress: string
  origin: Origin
  /** Of the credential that asked; null: full rights. */
  scopes: readonly Scope[] | null
  /** Whether calls may wait for their owner. */
  approvals: Approvals
  /** What the user is told before the answer begins. */
  notices: readonly Notice[]
  /** Why the model can't be used, although there is one. */
  modelFailure: Sentence | null
  /** Set where one assistant works for another. */
  delegation: Delegation | null
}

/** How far the answer is. */
export interface TurnProgress extends ToolProgress {
  /** The answer as it was when this run of the turn began: empty but after an approval. */
  readonly parts: readonly MessagePart[]
  /** What its model has read by now; null: unknown, so it may be anything. */
  labels: readonly ContextLabel[] | null
}

/** What a turn reads and stores. */
export interface TurnPorts {
  /**
   * Whether what the conversation has read by now, and reads of these folders, stays here, so that no model elsewhere may
   * be sent it. Asked before each time that one would be.
   */
  staysHere(vectorIds: readonly string[]): Promise<boolean>
  /** Whether the conversation has read any folder by now. */
  hasReadFolders(): Promise<boolean>
  /** The stored messages, one for each of the request's; read only where tools need them. */
  history(): Promise<EarlierMessage[]>
  /** What is attached to the request's messages, by their places in it. */
  attachments(): Promise<ReadonlyMap<number, readonly Attachment[]>>
  rememberedTools(): Promise<RememberedTools>
  /** Keeps with the answer why it rests on the passages it does. */
  keepRetrieval(retrieval: KeptRetrieval): Promise<void>
  keepFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
}

export interface Delegation {
  /** Assistants on the way here, who can't be asked again; the first one is the user's. */
  chain: readonly string[]
  /** One of them answers with a model elsewhere, which will read what comes of the task. */
  isReadElsewhere: boolean
  /** A task isn't a way around the permission mode of who gives it. */
  standing: Standing
  /** What the one who asks knows. */
  inherited: InheritedContext
}

/** With calls that wait, the turn is to be parked. */
type LoopFinish = Extract<ChatEvent, { type: "finish" }> & { waiting: WaitingCall[] }
/** … and which model wrote the answer, where one did. */
type AnswerFinish = LoopFinish & { model: string | null }

/** What an answer's text and calls are told by. */
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

/** The tools that are switched on for an answer. */
export const toolsOn = ({
  assistant,
  builtInTools,
}: Pick<TurnRequest, "assistant" | "builtInTools">): Readonly<Record<string, boolean>> =>
  assistant?.builtInTools ?? builtInTools

export const usesTools = (request: Pick<TurnRequest, "assistant" | "builtInTools">): boolean =>
  Object.values(toolsOn(request)).includes(true)

/** The progress of a turn that begins. */
export const newProgress = (): TurnProgress => ({
  parts: [],
  labels: [],
  decisions: new Map(),
  spent: nothingSpent(),
  sent: { addresses: new Set(), calls: 0 },
  tasks: new Map(),
})

export const nothingSpent = () => ({ calls: 0, milliseconds: 0, tokens: 0 })
