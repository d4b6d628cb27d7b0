import type { Received } from "../../../../shared/client/calls.ts"
import type { Client } from "../../../../shared/client/http-client.ts"
import { AppError } from "../../../../shared/contract/app-error.ts"
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

interface ReceivingDeps {
  chat: Pick<Client["chat"], "attach">
  chatId: string
  /** Waits before the next connection attempt. */
  pause: (attempt: number) => Promise<void>
  onEvent: (event: Received<ChatEvent>) => void
  /** Called when the connection broke and will be tried again. */
  onLost: () => void
  isFinished: () => boolean
  /** Aborted by a caller that no longer follows the answer. */
  signal: AbortSignal
}

const reconnectAttempts = 30

/**
 * Receives the events of an answer until it is complete, and reconnects when the connection breaks, up to `reconnectAttempts` times. Calls
 * `accepted` for each event before the first break. Throws if the stream fails before its first event.
 */
export async function receiveAnswer(
  events: AsyncIterable<Received<ChatEvent>>,
  accepted: () => void,
  { chat, chatId, pause, onEvent, onLost, isFinished, signal }: ReceivingDeps,
): Promise<void> {
  let started = false
  let lastEventId: string | undefined

  async function drain(stream: AsyncIterable<Received<ChatEvent>>, heard?: () => void): Promise<void> {
    for await (const event of stream) {
      lastEventId = event.eventId ?? lastEventId
      onEvent(event)
      heard?.()
    }
  }

  try {
    await drain(events, () => {
      started = true
      accepted()
    })
  } catch (error) {
    if (!started && !signal.aborted) throw error
  }
  for (let attempt = 0; attempt < reconnectAttempts && !isFinished() && !signal.aborted; attempt++) {
    onLost()
    await pause(attempt)
    const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    try {
      await drain(chat.attach({ params: { chatId } }, { headers, signal }))
    } catch (error) {
      if (!isConnectionLoss(error)) return // the stored chat has everything that was written
    }
  }
}

function isConnectionLoss(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === "unavailable"
}
