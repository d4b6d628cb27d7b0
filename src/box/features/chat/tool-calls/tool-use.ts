import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { MadeFile, ToolContext } from "../../../tools/tool.ts"
import type { ParkedTask, Spent } from "../approvals/parked-turn.ts"
import type { Decision, RememberedTools } from "../approvals/waiting-call.ts"
import type { CallContext } from "./call-context.ts"
import type { ToolSet } from "./tool-set.ts"

/** Limits of one answer: the number of calls and their total run time in milliseconds. */
export interface ToolLimits {
  calls: number
  milliseconds: number
}

/** The data that an answer and its tasks have sent to other machines. */
export interface SentOut {
  /** The addresses that were opened. */
  addresses: Set<string>
  /** Number of calls that reached other machines. */
  calls: number
}

/** The progress of an answer's calls, updated while the answer is written. */
export interface ToolProgress {
  /** The owner's decisions about calls that waited. Each is removed when it is used. */
  readonly decisions: Map<string, Decision>
  /** Increased with each call. */
  readonly spent: Spent
  /** Shared by an answer and its tasks, which add to it. */
  readonly sent: SentOut
  /** Delegated tasks that wait, by the calls that started them. */
  readonly tasks: Map<string, ParkedTask>
}

export type ToolEvent = Extract<ChatEvent, { type: "tool-result" | "widget" | "chart" | "file" | "source" }>
export type FileEvent = Extract<ToolEvent, { type: "file" }>

/** The dependencies of one answer's calls. */
export interface ToolUse {
  engine: ChatEngine
  toolSet: ToolSet
  context: CallContext
  /** The owner of the answer and the folders that it searches. */
  scope: Pick<
    ToolContext,
    "userId" | "chatId" | "messageId" | "author" | "folderIds" | "generated" | "staysHere"
  >
  remembered: RememberedTools
  limits: ToolLimits
  progress: ToolProgress
  storeFile(file: MadeFile, toolCallId: string): Promise<FileEvent>
  logger: Logger
}
