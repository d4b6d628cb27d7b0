import { t } from "i18next"
import { useSyncExternalStore, useEffect } from "react"
import { refreshConversation } from "../../../data/chats/conversations.ts"
import { box, boxAddress } from "../../../lib/box.ts"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { splitHash } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError } from "../../../lib/toasts.ts"
import { hasOpenCalls } from "../parts/arrange-parts.ts"
import { type Turn, createChatSession, type ChatSession, type ChatSessionState } from "./chat-session.ts"

const maxQuestionLength = 300

/** Chats that are on screen outside their own route. */
const registeredChats = new Set<string>()

/** Marks a chat as on screen until the returned function is called. */
export function registerShownChat(chatId: string): () => void {
  registeredChats.add(chatId)
  return () => registeredChats.delete(chatId)
}

/**
 * Notifies the user who asked, if they are looking elsewhere, that the answer is ready. The box notifies about answers that no app
 * followed. This covers an answer that the app followed in the background, because only the app knows where its user is looking.
 */
function announceAnswer(chatId: string, turn: Turn | undefined): void {
  const reason = turn?.answer.finishReason
  const shown = registeredChats.has(chatId) || splitHash(window.location.hash).path === routes.chat(chatId)
  const isVisible = document.hasFocus() && shown
  if (isVisible || reason === undefined || reason === "aborted") return
  // The answer waits for an approval, which the box asks for itself.
  if (reason === "tool-calls" && hasOpenCalls(turn?.answer.parts ?? [])) return
  const failed = reason === "error"
  // If the box can't be reached, only the notification is lost; the chat has the answer.
  void box.notifications
    .send({
      body: {
        title: failed ? t("chat:news.failed") : t("chat:news.ready"),
        description: turn?.question?.slice(0, maxQuestionLength) ?? "",
        type: failed ? "error" : "info",
        category: "chat",
        chatId,
        dedupeKey: `answer:${chatId}`,
      },
    })
    .catch(() => undefined)
}

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
    session.attach().catch(showError)
  }, [session, readAt])

  const running = phase !== "idle"
  const stop = () => {
    session.stop().catch(showError)
  }
  useWindowKeys((event) => {
    // A complete answer may still be shown while the stored one is being read. Then there is nothing to stop.
    if (event.key !== "Escape" || !running || turn?.answer.finishReason !== undefined) return
    event.preventDefault()
    stop()
  })
  return { phase, turn, running, stop }
}
