import { useSyncExternalStore } from "react"

const storageKey = "first-run"
const listeners = new Set<() => void>()

/** Whether the first-run steps were completed or skipped. Stored permanently. */
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
