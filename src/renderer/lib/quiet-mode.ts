import { useSyncExternalStore } from "react"

const storageKey = "do-not-disturb"
const always = "on"
const listeners = new Set<() => void>()
let ending: ReturnType<typeof setTimeout> | undefined
/** Longer ones would be over at once: browsers count milliseconds in 32 bits. */
const longestTimerMs = 2 ** 31 - 1

/** Since when or until when nothing pops up: `on` without an end, or a moment; null when it does. */
function stored(): string | null {
  const value = localStorage.getItem(storageKey)
  return value === null || value === always || Date.parse(value) > Date.now() ? value : null
}

/** Whether this app shows no toasts and no popups; the bell still counts. */
export const isQuiet = (): boolean => stored() !== null

/** Until when it is quiet; undefined without an end, or where it isn't. */
export function quietUntil(): Date | undefined {
  const value = stored()
  return value === null || value === always ? undefined : new Date(value)
}

function tell(): void {
  awaitEnd()
  for (const listener of listeners) listener()
}

/** Quiet for good, until a moment, or no more. */
export function setQuiet(quiet: boolean | Date): void {
  if (quiet === false) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, quiet === true ? always : quiet.toISOString())
  tell()
}

/** Has its end shown when it comes. */
function awaitEnd(): void {
  clearTimeout(ending)
  const until = quietUntil()
  if (until) ending = setTimeout(tell, Math.min(until.getTime() - Date.now(), longestTimerMs))
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener("storage", tell)
  listeners.add(listener)
  awaitEnd()
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener("storage", tell)
  }
}

/** Do not disturb, and how to change it. */
export const useQuietMode = (): [boolean, (quiet: boolean | Date) => void] => [
  useSyncExternalStore(subscribe, stored) !== null,
  setQuiet,
]
