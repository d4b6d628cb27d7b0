import { useEffect } from "react"
import { describeError } from "../../../lib/box.ts"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { showToast } from "../../../lib/toasts.ts"
import type { ChatSessionState } from "./chat-session.ts"
import { useChatSession } from "./chat-sessions.ts"

export interface RunningAnswer extends ChatSessionState {
  /** The chat is busy with it. */
  running: boolean
  stop: () => void
}

/** The chat's answer while it is written: found where another window asked for it, stopped with Escape. `readAt` is when the stored chat was read. */
export function useRunningAnswer(chatId: string, readAt: number): RunningAnswer {
  const [session, { phase, turn }] = useChatSession(chatId)

  // News of the chat has it read again; then an answer may be running that another window asked for.
  useEffect(() => {
    if (readAt === 0) return
    session.attach().catch((error: unknown) => showToast(describeError(error), "error"))
  }, [session, readAt])

  const running = phase !== "idle"
  const stop = () => {
    session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
  }
  useWindowKeys((event) => {
    // One that is complete may still stand for the stored one, which is being read: there is nothing to stop.
    if (event.key !== "Escape" || !running || turn?.answer.finishReason !== undefined) return
    event.preventDefault()
    stop()
  })
  return { phase, turn, running, stop }
}
