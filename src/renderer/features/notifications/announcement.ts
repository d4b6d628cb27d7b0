import type { Notification } from "../../../shared/contract/notifications.ts"
import { choosePresentation, getRoute } from "../../../shared/presentation.ts"
import { getAreaRoute } from "../../lib/navigation/areas.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { splitHash } from "../../lib/navigation/hash-location.ts"

/** Key of the toast for new notifications. */
export const arrivalToasts = "notifications"

export interface Situation {
  /** Whether do-not-disturb is on. */
  quiet: boolean
  /** Whether the app's window has the focus. */
  focused: boolean
  /** The in-app path on screen. */
  path: string
}

export interface Announcement {
  toasts: Notification[]
  popups: Notification[]
  /** Notifications whose page the user is already looking at. */
  alreadyVisible: Notification[]
}

/**
 * Decides how arrivals are announced: popups only if the window has no focus, and nothing for the page on screen. Notifications that the
 * page only lists aren't announced either, but stay unread.
 */
export function announce(arrivals: Notification[], { quiet, focused, path }: Situation): Announcement {
  const isOnScreen = (notification: Notification) => {
    const route = getRoute(notification)?.split("#", 1)[0]
    return focused && route !== undefined && splitHash(route).path === path
  }
  const alreadyVisible = arrivals.filter(isOnScreen)
  const isListed = ({ category }: Notification) =>
    focused && [getAreaRoute(category), routes.inbox].includes(path)
  const others = quiet ? [] : arrivals.filter((one) => !isOnScreen(one) && !isListed(one))
  return {
    alreadyVisible,
    toasts: others.filter((notification) => choosePresentation(notification).toast),
    popups: focused ? [] : others.filter((notification) => choosePresentation(notification).popup),
  }
}
