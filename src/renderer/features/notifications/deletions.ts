import { t } from "i18next"
import { useSyncExternalStore } from "react"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { deleteNotification } from "../../data/notifications.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../ui/toasts.ts"

const undoMs = 6000

/** Notifications on their way out: hidden at once, deleted when it is too late to undo. */
let leaving: ReadonlyMap<string, Notification> = new Map()
const listeners = new Set<() => void>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()

function change(edit: (next: Map<string, Notification>) => void): void {
  const next = new Map(leaving)
  edit(next)
  leaving = next
  for (const listener of listeners) listener()
}

export function deleteLater(notification: Notification): void {
  const { id } = notification
  change((next) => next.set(id, notification))
  timers.set(
    id,
    setTimeout(() => void finish(id), undoMs),
  )
  showToast(t("notifications:deleted", { count: leaving.size }), "info", {
    key: "deleted",
    shownMs: undoMs,
    actions: [{ label: t("notifications:undo"), run: undo }],
  })
}

/** Brings back all that can be. */
function undo(): void {
  const ids = [...timers.keys()]
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  change((next) => {
    for (const id of ids) next.delete(id)
  })
}

async function finish(id: string): Promise<void> {
  timers.delete(id)
  try {
    await deleteNotification(id)
  } catch (error) {
    showToast(describeError(error), "error")
  }
  change((next) => next.delete(id))
}

// Whoever closes the page can't undo any more.
window.addEventListener("pagehide", () => {
  for (const [id, timer] of timers) {
    clearTimeout(timer)
    void finish(id)
  }
})

/** Notifications that are shown no more though they still exist. */
export const useLeaving = (): ReadonlyMap<string, Notification> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => leaving,
  )
