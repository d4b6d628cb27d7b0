import type { ChatEvent, MessagePart } from "../../../../../shared/contract/chat.ts"

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
