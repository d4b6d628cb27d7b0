import type { ApprovalDelegation } from "../../../../shared/contract/chat.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { Pause } from "../../../tools/policy/policy.ts"

/** A call that waits for its owner's approval. */
export interface WaitingCall extends Pause {
  call: ToolCallPart
  /** Identity of the tool at the time of the request. */
  identity: string
  /** Arguments to use after approval. Defaults to those of the call. */
  args?: unknown
  /** Set if a delegated task makes the call. */
  delegation?: ApprovalDelegation
}

/** The outcome of a request, and the tool it was about (`Tool.identity`, empty without one). */
export interface Decision {
  state: "allowed" | "denied" | "expired"
  identity: string
  /** Arguments of the approved call. */
  args: unknown
}

/** Identities of the tools that the user allowed for the rest of the chat, by name. */
export type RememberedTools = ReadonlyMap<string, string>
