import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { MadeFile, ToolContext } from "../../../tools/tool.ts"
import type { ParkedTask, Spent } from "../approvals/parked-turn.ts"
import type { Decision, RememberedTools } from "../approvals/waiting-call.ts"
import type { CallContext } from "./call-context.ts"
import type { ToolSet } from "./tool-set.ts"

/** Bounds of one answer: calls, and milliseconds that they may run together. */
export interface ToolLimits {
  calls: number
  milliseconds: number
}

/** What an answer and its tasks have sent out. */
export interface SentOut {
  /** That were opened. */
  addresses: Set<string>
  /** Calls that reached other machines. */
  calls: number
}

/** How far the calls of an answer are; kept up to date while it is written. */
export interface ToolProgress {
  /** What the owner decided about calls that waited; each is taken out when it is used. */
  readonly decisions: Map<string, Decision>
  /** Counted up. */
  readonly spent: Spent
  /** Added to; an answer and its tasks share it. */
  readonly sent: SentOut
  /** Delegated tasks that wait, by the calls that gave them. */
  readonly tasks: Map<string, ParkedTask>
}

export type ToolEvent = Extract<ChatEvent, { type: "tool-result" | "widget" | "chart" | "file" | "source" }>
export type FileEvent = Extract<ToolEvent, { type: "file" }>

/** What the calls of one answer work with. */
export interface ToolUse {
  engine: ChatEngine
  toolSet: ToolSet
  context: CallContext
  /** Whose answer it is, and the folders that it searches. */
  scope: Pick<
    ToolContext,
    "userId" | "chatId" | "messageId" | "author" | "folderIds" | "generated" | "staysHere"
  >
  remembered: RememberedTools
  limits: ToolLimits
  progress: ToolProgress
  keepFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  logger: Logger
}
