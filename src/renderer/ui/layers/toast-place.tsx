import { useSyncExternalStore } from "react"

let place: HTMLElement | null = null
const listeners = new Set<() => void>()

function setPlace(next: HTMLElement | null): void {
  place = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where the screen wants its toasts. */
export const useToastPlace = (): HTMLElement | null => useSyncExternalStore(subscribe, () => place)

/** Has the toasts stand here instead of over the window's corner: they take room, and so cover nothing of the screen. */
export function ToastPlace() {
  return <div ref={setPlace} className="relative z-50 mx-auto w-full max-w-3xl px-6" />
}
