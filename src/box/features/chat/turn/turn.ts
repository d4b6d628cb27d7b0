import type { PermissionMode } from "../../../../shared/contract/assistants.ts"
import type { ChatMessage, ChatRequest, MessagePart, Source } from "../../../../shared/contract/chat.ts"
import type { Scope } from "../../../../shared/contract/endpoint.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import type { Standing } from "../../../tools/policy/standing.ts"
import type { ContextLabel, MadeFile } from "../../../tools/tool.ts"
import type { Decided, FileEvent, Remembered, SentOut, Spent, ToolLimits } from "../tool-calls/call-tools.ts"
import type { KeptRetrieval } from "../grounding/grounding.ts"
import type { ParkedTask } from "../approvals/parked-task.ts"
import type { ContextMessage, HandedOn } from "../tool-calls/call-context.ts"
import type { LoopEvent } from "./model-loop.ts"

/** What chat needs to know of an assistant. */
export interface ChatAssistant {
  id: string
  name: string
  instructions: string
  vectorIds: string[]
  builtInTools: Record<string, boolean>
  permissionMode: PermissionMode
  /** The user wrote its instructions. */
  owned: boolean
}

/** What an answer is made of. */
export interface Turn {
  userId: string
  chatId: string
  messages: readonly ChatMessage[]
  assistant: ChatAssistant | null
  /** Folders to search; none means that the model answers alone. */
  vectorIds: string[]
  /** Why the model can't be used, although there is one. */
  modelFailure: string | null
  boxAddress: string
  /** Turns of one conversation reuse what the engine has already evaluated. */
  conversationKey: string
  /** The stored messages, one for each of `messages`; read only where tools need them. */
  history(): Promise<ContextMessage[]>
  /** The answer so far, where it goes on after an approval, and what its model had read by then. */
  parts: readonly MessagePart[]
  labels: readonly ContextLabel[] | null
  /** What the user is told before the answer begins. */
  notices: readonly Notice[]
  /** Whether calls may wait for their owner. */
  approvals: NonNullable<ChatRequest["approvals"]>
  /** Of the credential that asked; null: full rights. */
  scopes: readonly Scope[] | null
  /** What the owner decided about calls of that answer and of its tasks; each is taken out when it is used. */
  decided: Map<string, Decided>
  remembered(): Promise<Remembered>
  limits: ToolLimits
  /** Counted up while the answer is written. */
  spent: Spent
  /** What the answer and its tasks have sent out; added to while it is written. */
  sent: SentOut
  /** Delegated tasks that wait, by the calls that gave them; kept up to date while the answer is written. */
  tasks: Map<string, ParkedTask>
  /** Keeps with the answer why it rests on the passages it does. */
  keepRetrieval(retrieval: KeptRetrieval): Promise<void>
  /** Keeps with the answer what its model has read; null: unknown, so it may be anything. */
  keepLabels(labels: readonly ContextLabel[] | null): void
  keepFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  /** Set where one assistant works for another. */
  delegation: Delegation | null
}

export interface Delegation {
  /** Assistants on the way here, who can't be asked again; the first one is the user's. */
  chain: readonly string[]
  /** A task isn't a way around the permission mode of who gives it. */
  standing: Standing
  /** What the one who asks knows. */
  handedOn: HandedOn
}

export type AnswerEvent = LoopEvent | ({ type: "source" } & Source)

/** Bounds of an answer and of a task that is delegated in it. */
export const answerLimits: ToolLimits = { calls: 16, milliseconds: 300_000 }
export const taskLimits: ToolLimits = { calls: 8, milliseconds: 240_000 }
export const nothingSpent = (): Spent => ({ calls: 0, milliseconds: 0, tokens: 0 })
export const nothingSent = (): SentOut => ({ addresses: new Set(), calls: 0 })
