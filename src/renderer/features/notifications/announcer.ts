import type { Notification } from "../../../shared/contract/notifications.ts"
import { markRead, onNotificationArrival } from "../../data/notifications.ts"
import { splitHash } from "../../lib/navigation/hash-location.ts"
import { isQuiet } from "../../lib/quiet-mode.ts"
import { showError, toastStore } from "../../lib/toasts.ts"
import { announce, arrivalToasts } from "./announcement.ts"
import { needsDecision } from "./open-notification.ts"

/** Notifications that arrive within this time are announced together. */
const gatherMs = 250

/** Announces arrivals by toasts and system popups until the returned function is called. */
export function startAnnouncing(): () => void {
  let gathered: Notification[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The notifications that the current toast represents. */
  let toasted: Notification[] = []

  function announceGathered(): void {
    timer = undefined
    const { path } = splitHash(window.location.hash)
    const situation = { quiet: isQuiet(), focused: document.hasFocus(), path }
    const { toasts, popups, alreadyVisible } = announce(gathered, situation)
    gathered = []
    for (const notification of alreadyVisible)
      if (!notification.read && !needsDecision(notification)) markRead(notification, true).catch(showError)
    if (toasts.length > 0) {
      const onScreen = toastStore.get().some(({ key }) => key === arrivalToasts)
      toasted = onScreen ? [...toasted, ...toasts] : toasts
    }
    if (toasts.length > 0 || popups.length > 0)
      showArrivals(toasts.length > 0 ? toasted : [], popups).catch(showError)
  }

  const stop = onNotificationArrival((notification) => {
    // When a notification is sent again, it replaces its earlier version.
    gathered = [...gathered.filter(({ id }) => id !== notification.id), notification]
    timer ??= setTimeout(announceGathered, gatherMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** The texts are loaded when there is something to announce. */
async function showArrivals(toasts: Notification[], popups: Notification[]): Promise<void> {
  const { popUp, toast } = await import("./arrival-messages.ts")
  if (toasts.length > 0) toast(toasts)
  if (popups.length > 0) popUp(popups)
}
