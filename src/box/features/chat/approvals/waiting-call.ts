import type { ApprovalDelegation } from "../../../../shared/contract/chat.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { Pause } from "../../../tools/policy/policy.ts"

/** A call that waits for its owner. */
export interface WaitingCall extends Pause {
  call: ToolCallPart
  /** Of its tool, as it was when the question was put. */
  identity: string
  /** To call it with once it is allowed; those of the call unless given. */
  args?: unknown
  /** Set where a delegated task makes it. */
  delegation?: ApprovalDelegation
}

/** What came of a question, and which tool it was about (`Tool.identity`, empty without one). */
export interface Decision {
  state: "allowed" | "denied" | "expired"
  identity: string
  /** What it is called with where it was allowed. */
  args: unknown
}

/** Identities of the tools that the user allowed for the rest of the chat, by name. */
export type RememberedTools = ReadonlyMap<string, string>
