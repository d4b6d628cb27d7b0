import { useSyncExternalStore } from "react"

const storageKey = "first-run"
const listeners = new Set<() => void>()

/** Whether the first run's questions were answered or skipped, which is kept for good. */
export const useFirstRunDone = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => localStorage.getItem(storageKey) === "done",
  )

export function endFirstRun(): void {
  localStorage.setItem(storageKey, "done")
  for (const listener of listeners) listener()
}
