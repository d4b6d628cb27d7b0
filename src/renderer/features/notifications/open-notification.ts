import type { Notification } from "../../../shared/contract/notifications.ts"
import { getRoute } from "../../../shared/presentation.ts"
import { markRead } from "../../data/notifications.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { showError } from "../../lib/toasts.ts"

/** Shows why an action on a notification failed. */

/** Whether a decision is pending, so that opening it isn't enough. */
export const needsDecision = ({ news, question }: Notification): boolean =>
  question?.status === "open" || (news?.kind === "approval_wanted" && news.outcome === undefined)

/** Marks it as read, unless a decision is pending, and opens its page if it has one. */
export function openNotification(notification: Notification): void {
  if (!notification.read && !needsDecision(notification)) markRead(notification, true).catch(showError)
  const route = getRoute(notification)
  if (route !== null) navigate(route)
}
