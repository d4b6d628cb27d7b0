import type { ChatEvent, MessagePart } from "../../../shared/contract/chat.ts"

/** What a stored message gets of the events of its stream. */
export interface AnswerRecord {
  add(event: ChatEvent): void
  /** Text segments joined. */
  content(): string
  parts(): MessagePart[]
}

/** Collects the events of one answer into the parts that are stored. */
export function createAnswerRecord(): AnswerRecord {
  const parts: MessagePart[] = []

  function append(type: "text" | "reasoning", text: string): void {
    const last = parts.at(-1)
    if (last?.type === type) last.text += text
    else parts.push({ type, text })
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
        case "error":
        case "tool-call":
        case "tool-result":
          parts.push(event)
          return
        case "start":
        case "tool-approval-request":
        case "finish":
      }
    },
    content: () => parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    parts: () => parts,
  }
}
