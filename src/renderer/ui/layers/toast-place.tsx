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

/** The element in which the page wants its toasts. */
export const useToastPlace = (): HTMLElement | null => useSyncExternalStore(subscribe, () => place)

/** Shows toasts here instead of in the corner of the window, where they would cover part of the page. */
export function ToastPlace() {
  return <div ref={setPlace} className="relative z-50 mx-auto w-full max-w-3xl px-6" />
}
