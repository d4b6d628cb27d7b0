import { chatRoute } from "./app-routes.ts"
import type { Notification, Presentation } from "./contract/notifications.ts"

/** Returns where an app shows a notification, whether it has just arrived or was missed while the app was offline. */
export function choosePresentation(
  notification: Pick<Notification, "read" | "muted" | "silent" | "silentToast">,
): Presentation {
  const shown = !notification.muted && !notification.silent
  return {
    toast: shown && !notification.silentToast,
    popup: shown,
    badge: !notification.read && !notification.muted,
  }
}

/** The in-app route that a click on a notification opens; null if there is none. */
export function getRoute(notification: Pick<Notification, "chatId" | "deepLink">): string | null {
  if (notification.chatId !== null) return chatRoute(notification.chatId)
  return notification.deepLink ?? null
}
