import type { Notification } from "../../../shared/contract/notifications.ts"
import { presentationOf, routeOf } from "../../../shared/presentation.ts"
import { areaRouteOf } from "../../lib/places/areas.ts"
import { routes } from "../../lib/places/routes.ts"
import { splitHash } from "../../lib/places/hash-location.ts"

/** Key of the toast about what arrived. */
export const arrivalToasts = "notifications"

export interface Situation {
  /** Do not disturb. */
  quiet: boolean
  /** The app's window has the focus. */
  focused: boolean
  /** The in-app path on screen. */
  path: string
}

export interface Announcement {
  toasts: Notification[]
  popups: Notification[]
  /** What the user is looking at already. */
  lookedAt: Notification[]
}

/**
 * How arrivals are announced: popups only to who is elsewhere, nothing about what is on screen. What the screen only
 * lists makes no noise either, but isn't read by that.
 */
export function announce(arrivals: Notification[], { quiet, focused, path }: Situation): Announcement {
  const isLookedAt = (notification: Notification) => {
    const route = routeOf(notification)?.split("#", 1)[0]
    return focused && route !== undefined && splitHash(route).path === path
  }
  const lookedAt = arrivals.filter(isLookedAt)
  const isListed = ({ category }: Notification) =>
    focused && [areaRouteOf(category), routes.inbox].includes(path)
  const others = quiet ? [] : arrivals.filter((one) => !isLookedAt(one) && !isListed(one))
  return {
    lookedAt,
    toasts: others.filter((notification) => presentationOf(notification).toast),
    popups: focused ? [] : others.filter((notification) => presentationOf(notification).popup),
  }
}
