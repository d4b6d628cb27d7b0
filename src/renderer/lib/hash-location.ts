import { useSyncExternalStore } from "react"
import type { BaseLocationHook, BaseSearchHook } from "wouter"

/** Splits `#/path?search` into its path and its search, without the question mark. */
export function splitHash(hash: string): { path: string; search: string } {
  const [path = "", ...search] = hash.replace(/^#/, "").split("?")
  return { path: path.startsWith("/") ? path : `/${path}`, search: search.join("?") }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener)
  return () => window.removeEventListener("hashchange", listener)
}

/** Goes to an in-app route such as `/inter/chat/abc?branch=2`. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (options.replace === true) {
    window.history.replaceState(null, "", `#${to}`)
    window.dispatchEvent(new HashChangeEvent("hashchange"))
  } else {
    window.location.hash = to
  }
}

const usePath = () => useSyncExternalStore(subscribe, () => splitHash(window.location.hash).path)

/** The route lives in the fragment, so that nothing of it (a sign-in token above all) ever reaches a server. */
export const useHashLocation: BaseLocationHook = Object.assign(
  (): [string, typeof navigate] => [usePath(), navigate],
  { hrefs: (href: string) => `#${href}` },
)

export const useHashSearch: BaseSearchHook = () =>
  useSyncExternalStore(subscribe, () => splitHash(window.location.hash).search)

/** A plain path such as `/inter/chat/abc`, opened by hand or from a notification, becomes the route it names. */
export function adoptPlainPath(): void {
  const { pathname, search, hash } = window.location
  if (pathname !== "/" && hash === "") window.history.replaceState(null, "", `/#${pathname}${search}`)
}
