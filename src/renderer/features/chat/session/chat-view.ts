import type { FinishReason, MessagePart, Role, Usage } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import type { ShownFile } from "../composer/attachments/new-files.ts"
import type { Turn } from "./chat-session.ts"
import type { ReadingProgress } from "./live-answer.ts"

/** A message as it is shown, stored or still coming. */
export interface ShownMessage {
  key: string
  role: Role
  content: string
  /** What was sent with it. */
  files: readonly ShownFile[]
  parts: MessagePart[]
  finishReason: FinishReason | undefined
  usage: Usage | undefined
  /** Name of the model that wrote it. */
  model: string | undefined
  /** Who gave this answer. */
  assistantId: string | undefined
  growing: boolean
  /** How far the documents are read, before there are words. */
  reading: ReadingProgress | undefined
}

const shownOf = new WeakMap<StoredMessage, ShownMessage>()

/** The same object each time, so that what shows it needn't be drawn again while an answer grows below. */
function stored(message: StoredMessage): ShownMessage {
  const known = shownOf.get(message)
  if (known) return known
  const { id, role, content, attachments, parts, finishReason, usage, model, assistantId } = message
  const shown = {
    key: id,
    role,
    content,
    files: attachments ?? [],
    parts,
    finishReason: finishReason ?? undefined,
    usage: usage ?? undefined,
    model: model ?? undefined,
    assistantId: assistantId ?? undefined,
    growing: false,
    reading: undefined,
  }
  shownOf.set(message, shown)
  return shown
}

/** The conversation to show: what is stored, then the turn that runs. */
export function shownMessages(messages: StoredMessage[], turn: Turn | undefined): ShownMessage[] {
  if (!turn) return messages.map(stored)
  const { answer, question } = turn
  const before = turn.history ?? messages.filter((message) => message.id !== answer.messageId)
  const shown = before.map(stored)
  if (question !== undefined)
    shown.push({ ...plain, key: "question", role: "user", content: question, files: turn.files ?? [] })
  if (turn.history !== undefined || answer.messageId !== undefined) {
    shown.push({
      ...plain,
      key: answer.messageId ?? "answer",
      role: "assistant",
      parts: answer.parts,
      finishReason: answer.finishReason,
      usage: answer.usage,
      assistantId: turn.assistantId ?? undefined,
      growing: answer.finishReason === undefined,
      reading: answer.reading,
    })
  }
  return shown
}

const plain: Omit<ShownMessage, "key" | "role"> = {
  content: "",
  files: [],
  parts: [],
  finishReason: undefined,
  usage: undefined,
  model: undefined,
  assistantId: undefined,
  growing: false,
  reading: undefined,
}

/** The words of an answer, for the clipboard. */
export const plainText = (parts: MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
