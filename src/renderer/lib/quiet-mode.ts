import { useSyncExternalStore } from "react"

const storageKey = "do-not-disturb"
const listeners = new Set<() => void>()

/** Whether this app shows no toasts and no popups; the bell still counts. */
export const isQuiet = (): boolean => localStorage.getItem(storageKey) === "on"

function setQuiet(quiet: boolean): void {
  if (quiet) localStorage.setItem(storageKey, "on")
  else localStorage.removeItem(storageKey)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener("storage", listener)
  }
}

/** Do not disturb, and how to change it. */
export const useQuietMode = (): [boolean, (quiet: boolean) => void] => [
  useSyncExternalStore(subscribe, isQuiet),
  setQuiet,
]
