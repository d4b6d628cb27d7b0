import { z } from "zod"
import { MessagePart } from "../../../../shared/contract/chat.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { ContextLabel } from "../../../tools/tool.ts"

export type ToolCallPart = Extract<MessagePart, { type: "tool-call" }>

const Parts = MessagePart.array()

/** Returns the stored parts of a message, or none if they can't be read. */
export const readParts = (stored: string): MessagePart[] => readStored(Parts, stored) ?? []

/** Returns the calls that have no result yet, in order. */
export function openCalls(parts: readonly MessagePart[]): ToolCallPart[] {
  const ended = new Set(parts.map((part) => (part.type === "tool-result" ? part.toolCallId : null)))
  return parts.filter((part) => part.type === "tool-call").filter((call) => !ended.has(call.toolCallId))
}

/** Returns the labels of what an answer's model had read, or null if they weren't stored. */
export const readLabels = (stored: string | null): readonly ContextLabel[] | null =>
  stored === null ? null : (readStored(Labels, stored) ?? null)

/** The labels of every imported message, including user messages: anyone may have written it. */
export const importedLabels = JSON.stringify([{ trusted: false, private: true }] satisfies ContextLabel[])

/** Returns whether a message was imported as a user's message. */
export const isImportedQuestion = (message: { role: string; readLabels: string | null }): boolean =>
  message.role === "user" && message.readLabels !== null

export const Labels = z.array(z.object({ trusted: z.boolean(), private: z.boolean() }))
