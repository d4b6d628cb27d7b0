import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"

/** An answer while it is being made. Its parts have the shape of a stored message's parts. */
export interface LiveAnswer {
  messageId: string | undefined
  parts: MessagePart[]
  finishReason: FinishReason | undefined
  usage: Usage | undefined
}

export const emptyAnswer: LiveAnswer = {
  messageId: undefined,
  parts: [],
  finishReason: undefined,
  usage: undefined,
}

/** The answer after one more event of its stream. */
export function applyEvent(answer: LiveAnswer, event: ChatEvent): LiveAnswer {
  switch (event.type) {
    case "start":
      return { ...emptyAnswer, messageId: event.messageId }
    case "text-delta":
      return withText(answer, "text", event.textDelta)
    case "text":
      return withText(answer, "text", event.text)
    case "reasoning-delta":
      return withText(answer, "reasoning", event.textDelta)
    case "finish":
      return { ...answer, finishReason: event.finishReason, usage: event.usage }
    case "tool-approval-request":
      return answer // what waits is read from the box, so that it is right also later and elsewhere
    case "source":
    case "notice":
    case "error":
    case "tool-call":
    case "tool-result":
    case "widget":
    case "chart":
    case "file":
      return { ...answer, parts: [...answer.parts, event] }
    default:
      return answer // of a newer box
  }
}

function withText(answer: LiveAnswer, type: "text" | "reasoning", text: string): LiveAnswer {
  const last = answer.parts.at(-1)
  if (last?.type !== type) return { ...answer, parts: [...answer.parts, { type, text }] }
  return { ...answer, parts: [...answer.parts.slice(0, -1), { type, text: last.text + text }] }
}
