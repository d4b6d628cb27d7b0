import type { ChatEvent, FinishReason, MessagePart, Usage } from "../../../../shared/contract/chat.ts"

/** Progress of an answer that reads whole documents. */
export interface ReadingProgress extends Omit<Extract<ChatEvent, { type: "progress" }>, "type" | "unit"> {
  /** Whether the estimated time has ever exceeded half a minute. */
  isLong: boolean
}

export const longSeconds = 30

/** An answer while it is being written. Its parts have the shape of a stored message's parts. */
export interface LiveAnswer {
  messageId: string | undefined
  parts: MessagePart[]
  /** Reading progress; undefined before reading starts and after text arrives. */
  reading: ReadingProgress | undefined
  finishReason: FinishReason | undefined
  usage: Usage | undefined
}

export const emptyAnswer: LiveAnswer = {
  messageId: undefined,
  parts: [],
  reading: undefined,
  finishReason: undefined,
  usage: undefined,
}

/** Applies one more event of the stream to the answer. */
export function applyEvent(answer: LiveAnswer, event: ChatEvent): LiveAnswer {
  switch (event.type) {
    case "start":
      return { ...emptyAnswer, messageId: event.messageId }
    case "text-delta":
      return appendText(answer, "text", event.textDelta)
    case "text":
      return appendText(answer, "text", event.text)
    case "progress": {
      const { type: _, unit: __, ...reading } = event
      const isLong = answer.reading?.isLong === true || (reading.secondsLeft ?? 0) > longSeconds
      return { ...answer, reading: { ...reading, isLong } }
    }
    case "reasoning-delta":
      return appendText(answer, "reasoning", event.textDelta)
    case "finish":
      return { ...answer, reading: undefined, finishReason: event.finishReason, usage: event.usage }
    case "tool-approval-request":
      return answer // pending approvals are read from the box, so that they are also right later and in other windows
    case "source":
    case "notice":
    case "coverage":
    case "error":
    case "tool-call":
    case "tool-result":
    case "widget":
    case "chart":
    case "file":
      return { ...answer, parts: [...answer.parts, event] }
    default:
      return answer // an event type of a newer box
  }
}

function appendText(answer: LiveAnswer, type: "text" | "reasoning", text: string): LiveAnswer {
  const last = answer.parts.at(-1)
  const before = last?.type === type ? answer.parts.slice(0, -1) : answer.parts
  const part = { type, text: last?.type === type ? last.text + text : text }
  return { ...answer, reading: undefined, parts: [...before, part] }
}
