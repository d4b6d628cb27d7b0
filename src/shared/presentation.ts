import { chatRoute } from "./app-routes.ts"
import type { Notification, Presentation } from "./contract/notifications.ts"

/** Where an app shows a notification that arrives; the same for one that it catches up with. */
export function presentationOf(
  notification: Pick<Notification, "read" | "muted" | "silent" | "silentToast">,
): Presentation {
  const shown = !notification.muted && !notification.silent
  return {
    toast: shown && !notification.silentToast,
    popup: shown,
    badge: !notification.read && !notification.muted,
  }
}

/** The in-app route that a click on a notification opens; null when it leads nowhere. */
export function routeOf(notification: Pick<Notification, "chatId" | "deepLink">): string | null {
  if (notification.chatId !== null) return chatRoute(notification.chatId)
  return notification.deepLink ?? null
}
