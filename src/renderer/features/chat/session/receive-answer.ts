import type { Received } from "../../../../shared/client/calls.ts"
import type { Client } from "../../../../shared/client/http-client.ts"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/app-error.ts"

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
