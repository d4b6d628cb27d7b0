import { useSyncExternalStore } from "react"

const storageKey = "do-not-disturb"
const always = "on"
const listeners = new Set<() => void>()
let ending: ReturnType<typeof setTimeout> | undefined
/** Longer timers would fire immediately, because browsers store their milliseconds in 32 bits. */
const maxTimerMs = 2 ** 31 - 1

/** The stored do-not-disturb state: `on` without an end, or the end time; null if it is off. */
function stored(): string | null {
  const value = localStorage.getItem(storageKey)
  return value === null || value === always || Date.parse(value) > Date.now() ? value : null
}

/** Whether this app shows no toasts and no popups. The bell still counts notifications. */
export const isQuiet = (): boolean => stored() !== null

/** When do-not-disturb ends; undefined if it has no end or is off. */
export function quietUntil(): Date | undefined {
  const value = stored()
  return value === null || value === always ? undefined : new Date(value)
}

function notifyListeners(): void {
  awaitEnd()
  for (const listener of listeners) listener()
}

/** Turns do-not-disturb on permanently or until a time, or turns it off. */
export function setQuiet(quiet: boolean | Date): void {
  if (quiet === false) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, quiet === true ? always : quiet.toISOString())
  notifyListeners()
}

/** Updates listeners when do-not-disturb ends. */
function awaitEnd(): void {
  clearTimeout(ending)
  const until = quietUntil()
  if (until) ending = setTimeout(notifyListeners, Math.min(until.getTime() - Date.now(), maxTimerMs))
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener("storage", notifyListeners)
  listeners.add(listener)
  awaitEnd()
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener("storage", notifyListeners)
  }
}

/** The do-not-disturb state and its setter. */
export const useQuietMode = (): [boolean, (quiet: boolean | Date) => void] => [
  useSyncExternalStore(subscribe, stored) !== null,
  setQuiet,
]
