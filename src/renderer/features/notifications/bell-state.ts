import { useSyncExternalStore } from "react"

let open = false
const listeners = new Set<() => void>()

/** Opens or closes the bell from wherever it is wanted, such as a toast. */
export function setBellOpen(next: boolean): void {
  open = next
  for (const listener of listeners) listener()
}

export const useBellOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open,
  )
