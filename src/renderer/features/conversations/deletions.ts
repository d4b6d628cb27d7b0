import { t } from "i18next"
import { useSyncExternalStore } from "react"
import { deleteConversation } from "../../data/conversations.ts"
import { waitingQuestions } from "../../data/waiting-questions.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../ui/toasts.ts"

const undoMs = 8000

/** Conversations on their way out: hidden at once, deleted when it is too late to undo. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const hidden = new Set<string>()

function change(edit: (next: Set<string>) => void): void {
  const next = new Set(leaving)
  edit(next)
  leaving = next
  for (const listener of listeners) listener()
}

export function deleteLater(chatId: string, title: string): void {
  change((next) => next.add(chatId))
  timers.set(
    chatId,
    setTimeout(() => void finish(chatId), undoMs),
  )
  showToast(t("conversations:deleted"), "info", {
    detail: title,
    key: `deleted:${chatId}`,
    shownMs: undoMs,
    actions: [{ label: t("conversations:undo"), run: () => undo(chatId) }],
  })
}

/** Shows a chat in no list until it is deleted, at the latest when the page is closed. */
export function hideChat(chatId: string): void {
  change((next) => next.add(chatId))
  hidden.add(chatId)
}

/** Deletes a hidden chat. */
export async function deleteHidden(chatId: string): Promise<void> {
  if (hidden.delete(chatId)) await finish(chatId)
}

function undo(chatId: string): void {
  clearTimeout(timers.get(chatId))
  timers.delete(chatId)
  change((next) => next.delete(chatId))
}

async function finish(chatId: string): Promise<void> {
  timers.delete(chatId)
  try {
    await deleteConversation(chatId)
    waitingQuestions.forget(chatId)
  } catch (error) {
    showToast(describeError(error), "error")
  }
  change((next) => next.delete(chatId))
}

// Whoever closes the page can't undo any more.
window.addEventListener("pagehide", () => {
  for (const [chatId, timer] of timers) {
    clearTimeout(timer)
    void finish(chatId)
  }
  for (const chatId of hidden) void deleteHidden(chatId)
})

/** Conversations that are shown no more though they still exist. */
export const useLeavingChats = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => leaving,
  )
