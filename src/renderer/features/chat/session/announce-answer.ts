import { t } from "i18next"
import { box } from "../../../lib/box.ts"
import { splitHash } from "../../../lib/places/hash-location.ts"
import { routes } from "../../../lib/places/routes.ts"
import type { Turn } from "./chat-session.ts"
import { hasOpenCalls } from "../parts/arrange-parts.ts"

const longestQuestion = 300

/** Chats that are on screen somewhere else than at their own address. */
const shownElsewhere = new Set<string>()

/** Says that a chat is on screen, until the returned function is called. */
export function showElsewhere(chatId: string): () => void {
  shownElsewhere.add(chatId)
  return () => shownElsewhere.delete(chatId)
}

/**
 * Tells who asked and looks elsewhere that the answer is there. The box tells of answers that no app followed; this is
 * for one that this app followed in the background, and only the app knows where its user looks.
 */
export function announceAnswer(chatId: string, turn: Turn | undefined): void {
  const reason = turn?.answer.finishReason
  const shown = shownElsewhere.has(chatId) || splitHash(window.location.hash).path === routes.chat(chatId)
  const looking = document.hasFocus() && shown
  if (looking || reason === undefined || reason === "aborted") return
  // It waits for an approval, which the box asks for by itself.
  if (reason === "tool-calls" && hasOpenCalls(turn?.answer.parts ?? [])) return
  const failed = reason === "error"
  // Without a box there is no bell either: only the hint is lost, the chat has the answer.
  void box.notifications
    .send({
      body: {
        title: failed ? t("chat:news.failed") : t("chat:news.ready"),
        description: turn?.question?.slice(0, longestQuestion) ?? "",
        type: failed ? "error" : "info",
        category: "chat",
        chatId,
        dedupeKey: `answer:${chatId}`,
      },
    })
    .catch(() => undefined)
}
