import { t } from "i18next"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { deleteNotification, useUnreadCount } from "../../data/notifications.ts"
import { createIdSet } from "../../data/undoable.ts"
import { showError, showToast } from "../../lib/toasts.ts"

const undoMs = 8000

/** Hidden notifications: those whose deletion can still be undone, and those being deleted. */
const leaving = createIdSet()
/** The unread ones among them. */
const unread = createIdSet()
const undoable = new Set<string>()

function undo(): void {
  for (const id of undoable) stopHiding(id)
  undoable.clear()
}

function finish(): void {
  for (const id of undoable) void commitDeletion(id)
  undoable.clear()
}

async function commitDeletion(id: string): Promise<void> {
  try {
    await deleteNotification(id)
  } catch (error) {
    showError(error)
  }
  stopHiding(id)
}

function stopHiding(id: string): void {
  leaving.delete(id)
  unread.delete(id)
}

// After the page is closed, deletions can no longer be undone.
window.addEventListener("pagehide", finish)

/** Pending deletions. The box can't restore a notification, so it is hidden first and deleted when its toast disappears. */
export const notificationDeletions = {
  deleteLater({ id, read }: Notification): void {
    if (leaving.has(id)) return
    undoable.add(id)
    leaving.add(id)
    if (!read) unread.add(id)
    showToast(t("notifications:deleted", { count: undoable.size }), "info", {
      key: "deleted-notifications",
      shownMs: undoMs,
      actions: [{ label: t("common:undo"), shortcut: "undo", run: undo }],
      onHidden: finish,
    })
  },
  useLeaving: leaving.use,
  useLeavingUnread: unread.use,
}

/** Number of unread notifications, without those being deleted. */
export function useShownUnread(): number {
  const leaving = notificationDeletions.useLeavingUnread()
  return Math.max(0, (useUnreadCount() ?? 0) - leaving.size)
}
