import type { Notification } from "../../../shared/contract/notifications.ts"
import { routeOf } from "../../../shared/presentation.ts"
import { markRead } from "../../data/notifications.ts"
import { describeError } from "../../lib/box.ts"
import { navigate } from "../../lib/places/hash-location.ts"
import { showToast } from "../../lib/toasts.ts"

/** What could not be done to a notification, said. */
export const sayFailure = (error: unknown): void => showToast(describeError(error), "error")

/** Something waits for a decision: to have looked at that isn't enough. */
export const needsDecision = ({ news, question }: Notification): boolean =>
  question?.status === "open" || (news?.kind === "approval_wanted" && news.outcome === undefined)

/** Marks it read, unless it is to be decided, and goes where it leads, if it leads anywhere. */
export function openNotification(notification: Notification): void {
  if (!notification.read && !needsDecision(notification)) markRead(notification, true).catch(sayFailure)
  const route = routeOf(notification)
  if (route !== null) navigate(route)
}
