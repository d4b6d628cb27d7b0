import { z } from "zod"
import { AskedFile, Attachment, MessagePart, type ChatEvent } from "../../../../shared/contract/chat.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { ContextLabel } from "../../../tools/tool.ts"

export type ToolCallPart = Extract<MessagePart, { type: "tool-call" }>

const Parts = MessagePart.array()

/** Returns the stored parts of a message, or none if they can't be read. */
export const readParts = (stored: string): MessagePart[] => readStored(Parts, stored) ?? []

const AskedFiles = AskedFile.array()

/** Returns the files that a stored message names, or null if it names none. */
export const readAskedFiles = (stored: string | null): AskedFile[] | null =>
  stored === null ? null : (readStored(AskedFiles, stored) ?? null)

const Attachments = Attachment.array()

/** Returns the files attached to a stored message, or null if there are none. */
export const readAttachments = (stored: string | null): Attachment[] | null =>
  stored === null ? null : (readStored(Attachments, stored) ?? null)

/** Returns the names of the files that a stored message names or that are attached to it. */
export const readFileNames = (message: { askedFiles: string | null; attachments: string | null }): string[] =>
  [...(readAskedFiles(message.askedFiles) ?? []), ...(readAttachments(message.attachments) ?? [])].map(
    ({ name }) => name,
  )

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

/** Collects what a stored message takes from the events of its stream. */
export interface AnswerRecord {
  add(event: ChatEvent): void
  /** Returns the text segments, joined. */
  content(): string
  parts(): MessagePart[]
  /** Returns the parts added since the previous call. */
  takeNew(): MessagePart[]
}

/** Collects the events of one answer into stored parts, after the parts it had before it was paused. */
export function createAnswerRecord(before: readonly MessagePart[] = []): AnswerRecord {
  const parts: MessagePart[] = structuredClone([...before])
  let added: MessagePart[] = []

  function append(type: "text" | "reasoning", text: string): void {
    for (const list of [parts, added]) {
      const last = list.at(-1)
      if (last?.type === type) last.text += text
      else list.push({ type, text })
    }
  }

  return {
    add(event) {
      switch (event.type) {
        case "text-delta":
          return append("text", event.textDelta)
        case "text":
          return append("text", event.text)
        case "reasoning-delta":
          return append("reasoning", event.textDelta)
        case "source":
        case "notice":
        case "coverage":
        case "error":
        case "tool-call":
        case "tool-result":
        case "widget":
        case "chart":
        case "file":
          parts.push(event)
          added.push(event)
          return
        case "start":
        case "progress":
        case "tool-approval-request":
        case "finish":
      }
    },
    content: () => parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    parts: () => parts,
    takeNew() {
      const taken = added
      added = []
      return taken
    },
  }
}

/** Returns the event that corresponds to a part of an answer. */
export function toEvent(part: MessagePart): ChatEvent {
  if (part.type === "text") return { type: "text-delta", textDelta: part.text }
  if (part.type === "reasoning") return { type: "reasoning-delta", textDelta: part.text }
  return part
}
