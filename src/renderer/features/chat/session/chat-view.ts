import type { FinishReason, MessagePart, Role, Usage } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import type { ShownFile } from "../composer/attachments/attachment-store.ts"
import type { Turn } from "./chat-session.ts"
import type { ReadingProgress } from "./live-answer.ts"

/** A message as shown, either stored or still arriving. */
export interface ShownMessage {
  key: string
  role: Role
  content: string
  /** Files sent with it. */
  files: readonly ShownFile[]
  parts: MessagePart[]
  finishReason: FinishReason | undefined
  usage: Usage | undefined
  /** Name of the model that wrote the message. */
  model: string | undefined
  /** The assistant that gave this answer. */
  assistantId: string | undefined
  growing: boolean
  /** Reading progress before any text has arrived. */
  reading: ReadingProgress | undefined
}

const shownOf = new WeakMap<StoredMessage, ShownMessage>()

/** Returns the same object each time, so that stored messages aren't rendered again while an answer grows below. */
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

/** Returns the messages to show: the stored ones, then the running turn. */
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

/** The text of an answer, for the clipboard. */
export const plainText = (parts: MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

const lasting = new Set(["no_model", "no_embedding_model"])

/** Whether a notice describes the box itself, so that it is the same for every answer. */
export const isLasting = (code: string): boolean => lasting.has(code)

/** Caches codes for unchanging parts, which are all except those of the answer being written. */
const known = new WeakMap<readonly MessagePart[], string[]>()

function getCodes(parts: readonly MessagePart[]): string[] {
  const codes =
    known.get(parts) ??
    parts.flatMap((part) => (part.type === "notice" && isLasting(part.code) ? [part.code] : []))
  known.set(parts, codes)
  return codes
}

/** Returns, by message, the codes of lasting notices that appear for the first time in it, separated by spaces. */
export function lastingNotices(messages: readonly ShownMessage[]): Map<string, string> {
  const shownCodes = new Set<string>()
  const news = new Map<string, string>()
  for (const { key, parts } of messages) {
    const first = getCodes(parts).filter((code) => !shownCodes.has(code))
    for (const code of first) shownCodes.add(code)
    if (first.length > 0) news.set(key, first.join(" "))
  }
  return news
}
