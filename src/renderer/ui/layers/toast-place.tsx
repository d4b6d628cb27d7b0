import { useSyncExternalStore } from "react"

let anchor: HTMLElement | null = null
const listeners = new Set<() => void>()

function setAnchor(next: HTMLElement | null): void {
  anchor = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The element in which the page wants its toasts. */
export const useToastAnchor = (): HTMLElement | null => useSyncExternalStore(subscribe, () => anchor)

/** Shows toasts here instead of in the corner of the window, where they would cover part of the page. */
export function ToastAnchor() {
  return <div ref={setAnchor} className="relative z-50 mx-auto w-full max-w-3xl px-6" />
}
