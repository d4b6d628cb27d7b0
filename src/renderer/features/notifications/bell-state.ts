import { useSyncExternalStore } from "react"
import { trimFeeds } from "../../data/notifications.ts"
import { dismissToasts } from "../../lib/toasts.ts"
import { arrivalToasts } from "./announcement.ts"

let open = false
const listeners = new Set<() => void>()

/** Opens or closes the bell from anywhere, such as a toast. */
export function setBellOpen(next: boolean): void {
  open = next
  if (open) dismissToasts(arrivalToasts)
  else trimFeeds()
  for (const listener of listeners) listener()
}

export const toggleBell = (): void => setBellOpen(!open)

export const useBellOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open,
  )
