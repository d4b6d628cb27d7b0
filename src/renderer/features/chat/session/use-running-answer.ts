import { useEffect } from "react"
import { describeError } from "../../../lib/box.ts"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { showToast } from "../../../lib/toasts.ts"
import type { ChatSessionState } from "./chat-session.ts"
import { useChatSession } from "./chat-sessions.ts"

export interface RunningAnswer extends ChatSessionState {
  /** Whether the chat is busy with an answer. */
  running: boolean
  stop: () => void
}

/**
 * Follows the chat's answer while it is being written, also if another window asked for it. Escape stops it. `readAt` is the time when the
 * stored chat was read.
 */
export function useRunningAnswer(chatId: string, readAt: number): RunningAnswer {
  const [session, { phase, turn }] = useChatSession(chatId)

  // The chat is read again after each of its events. An answer that another window asked for may then be running.
  useEffect(() => {
    if (readAt === 0) return
    session.attach().catch((error: unknown) => showToast(describeError(error), "error"))
  }, [session, readAt])

  const running = phase !== "idle"
  const stop = () => {
    session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
  }
  useWindowKeys((event) => {
    // A complete answer may still be shown while the stored one is being read. Then there is nothing to stop.
    if (event.key !== "Escape" || !running || turn?.answer.finishReason !== undefined) return
    event.preventDefault()
    stop()
  })
  return { phase, turn, running, stop }
}
