import { t } from "i18next"
import { box } from "../../../lib/box.ts"
import { splitHash } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import type { Turn } from "./chat-session.ts"
import { hasOpenCalls } from "../parts/arrange-parts.ts"

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
export function announceAnswer(chatId: string, turn: Turn | undefined): void {
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
