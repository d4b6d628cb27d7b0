import { useSyncExternalStore } from "react"
import { refreshConversation } from "../../../data/chats/conversations.ts"
import { box, boxAddress } from "../../../lib/box.ts"
import { announceAnswer } from "./announce-answer.ts"
import { createChatSession, type ChatSession, type ChatSessionState } from "./chat-session.ts"

const maxIdleSessions = 50
const maxPauseMs = 5000
const sessions = new Map<string, ChatSession>()

/** Returns the session of a chat, created on first use. Idle sessions are removed when there are many. */
export function chatSession(chatId: string): ChatSession {
  const known = sessions.get(chatId)
  if (known) return known
  const session = createChatSession({
    chat: box.chat,
    boxAddress: boxAddress(),
    chatId,
    refresh: () => {
      const { turn } = session.getState()
      announceAnswer(chatId, turn)
      return refreshConversation(chatId)
    },
    schedule: (notify) => {
      if (document.hidden) setTimeout(notify)
      else requestAnimationFrame(notify)
    },
    pause: (attempt) =>
      new Promise((resolve) => setTimeout(resolve, Math.min(maxPauseMs, 250 * 2 ** attempt))),
  })
  sessions.set(chatId, session)
  for (const [id, { getState }] of sessions) {
    if (sessions.size <= maxIdleSessions) break
    if (id !== chatId && getState().phase === "idle") sessions.delete(id)
  }
  return session
}

export function useChatSession(chatId: string): [ChatSession, ChatSessionState] {
  const session = chatSession(chatId)
  return [session, useSyncExternalStore(session.subscribe, session.getState)]
}
