import { z } from "zod"
import { MessagePart } from "../../../../shared/contract/chat.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { ContextLabel } from "../../../tools/tool.ts"

export type ToolCallPart = Extract<MessagePart, { type: "tool-call" }>

const Parts = MessagePart.array()

/** The parts of a message as its row holds them; none where they can't be read. */
export const readParts = (stored: string): MessagePart[] => readStored(Parts, stored) ?? []

/** Calls that have no result yet, in order. */
export function openCalls(parts: readonly MessagePart[]): ToolCallPart[] {
  const ended = new Set(parts.map((part) => (part.type === "tool-result" ? part.toolCallId : null)))
  return parts.filter((part) => part.type === "tool-call").filter((call) => !ended.has(call.toolCallId))
}

/** What an answer's model had read; null where nobody kept it. */
export const readLabels = (stored: string | null): readonly ContextLabel[] | null =>
  stored === null ? null : (readStored(Labels, stored) ?? null)

/** What is stored as read by a message that came with an export, also one of role `user`: anybody may have written it. */
export const importedLabels = JSON.stringify([{ trusted: false, private: true }] satisfies ContextLabel[])

/** Whether a message says that it is the user's, and came with an export. */
export const isImportedQuestion = (message: { role: string; readLabels: string | null }): boolean =>
  message.role === "user" && message.readLabels !== null

export const Labels = z.array(z.object({ trusted: z.boolean(), private: z.boolean() }))
