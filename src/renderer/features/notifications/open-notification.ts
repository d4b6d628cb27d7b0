import type { Notification } from "../../../shared/contract/notifications.ts"
import { routeOf } from "../../../shared/presentation.ts"
import { markRead } from "../../data/notifications.ts"
import { describeError } from "../../lib/box.ts"
import { navigate } from "../../lib/places/hash-location.ts"
import { showToast } from "../../lib/toasts.ts"

/** What could not be done to a notification, said. */
export const sayFailure = (error: unknown): void => showToast(describeError(error), "error")

/** Marks it read and goes where it leads, if it leads anywhere. */
export function openNotification(notification: Notification): void {
  if (!notification.read) markRead(notification, true).catch(sayFailure)
  const route = routeOf(notification)
  if (route !== null) navigate(route)
}
