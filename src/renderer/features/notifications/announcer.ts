import type { Notification } from "../../../shared/contract/notifications.ts"
import { markRead, onNotificationArrival } from "../../data/notifications.ts"
import { splitHash } from "../../lib/places/hash-location.ts"
import { isQuiet } from "../../lib/quiet-mode.ts"
import { toastStore } from "../../lib/toasts.ts"
import { announce, arrivalToasts } from "./announcement.ts"
import { needsDecision, sayFailure } from "./open-notification.ts"

/** What arrives within this time is announced together. */
const gatherMs = 250

/** Announces what arrives, by toasts and popups of the system, until the returned function is called. */
export function startAnnouncing(): () => void {
  let gathered: Notification[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** What the toast on screen stands for. */
  let toasted: Notification[] = []

  function announceGathered(): void {
    timer = undefined
    const { path } = splitHash(window.location.hash)
    const situation = { quiet: isQuiet(), focused: document.hasFocus(), path }
    const { toasts, popups, lookedAt } = announce(gathered, situation)
    gathered = []
    for (const notification of lookedAt)
      if (!notification.read && !needsDecision(notification)) markRead(notification, true).catch(sayFailure)
    if (toasts.length > 0) {
      const onScreen = toastStore.get().some(({ key }) => key === arrivalToasts)
      toasted = onScreen ? [...toasted, ...toasts] : toasts
    }
    if (toasts.length > 0 || popups.length > 0)
      tell(toasts.length > 0 ? toasted : [], popups).catch(sayFailure)
  }

  const stop = onNotificationArrival((notification) => {
    // A later sending of the same row takes the earlier one's place.
    gathered = [...gathered.filter(({ id }) => id !== notification.id), notification]
    timer ??= setTimeout(announceGathered, gatherMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** Words are fetched once there is something to tell. */
async function tell(toasts: Notification[], popups: Notification[]): Promise<void> {
  const { popUp, toast } = await import("./arrival-messages.ts")
  if (toasts.length > 0) toast(toasts)
  if (popups.length > 0) popUp(popups)
}
