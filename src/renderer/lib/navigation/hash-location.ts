import { useSyncExternalStore } from "react"
import type { BaseLocationHook, BaseSearchHook, Parser } from "wouter"

/**
 * Splits `#/path?search` into path and search, without the question mark. Each segment of the path is encoded like ids in `routes`,
 * whatever its original encoding, so that paths can be compared.
 */
export function splitHash(hash: string): { path: string; search: string } {
  const [path = "", ...search] = hash.replace(/^#/, "").split("?")
  const segments = path.split("/").map((segment) => encodeURIComponent(decoded(segment)))
  const canonical = segments.join("/")
  return { path: canonical.startsWith("/") ? canonical : `/${canonical}`, search: search.join("?") }
}

/** A segment that isn't validly encoded is used as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment.toWellFormed()
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener)
  return () => window.removeEventListener("hashchange", listener)
}

interface NavigateOptions {
  /** Replaces the current entry in the browser's history. */
  replace?: boolean
  /** The state of the history entry. */
  state?: unknown
}

/** Navigates to an in-app route such as `/inter/chat/abc?branch=2`. */
export function navigate(to: string, { replace = false, state }: NavigateOptions = {}): void {
  if (!replace && state === undefined) {
    window.location.hash = to
    return
  }
  if (replace) window.history.replaceState(state ?? null, "", `#${to}`)
  else window.history.pushState(state, "", `#${to}`)
  window.dispatchEvent(new HashChangeEvent("hashchange"))
}

const modifiers = new Set(["Alt", "Control", "Meta", "Shift"])

/**
 * For a navigation after work that the user started, such as copying a chat: call it at the start. The returned function navigates only if
 * the user has neither clicked, typed nor gone elsewhere since, so that it doesn't interrupt what they are doing.
 */
export function navigateIfIdle(): (to: string) => void {
  const { hash } = window.location
  const active = new AbortController()
  const options = { capture: true, signal: active.signal }
  window.addEventListener("pointerdown", () => active.abort(), options)
  window.addEventListener(
    "keydown",
    ({ key, repeat }) => {
      if (!repeat && !modifiers.has(key)) active.abort()
    },
    options,
  )
  return (to) => {
    if (!active.signal.aborted && window.location.hash === hash) navigate(to)
    active.abort()
  }
}

/** wouter decodes most of what its hooks return. This encoding makes it decode only what is encoded here. */
const untouched = (text: string) => text.replaceAll("%", "%25")

const usePath = () => useSyncExternalStore(subscribe, () => untouched(splitHash(window.location.hash).path))

/** The route is in the fragment, so that no part of it (above all a sign-in token) ever reaches a server. */
export const useHashLocation: BaseLocationHook = Object.assign(
  (): [string, typeof navigate] => [usePath(), navigate],
  { hrefs: (href: string) => `#${href}` },
)

export const useHashSearch: BaseSearchHook = () =>
  useSyncExternalStore(subscribe, () => untouched(splitHash(window.location.hash).search))

/** Parses routes like `parse`, with each parameter decoded exactly once. */
export const decodingParameters =
  (parse: Parser): Parser =>
  (route, loose) => {
    const { pattern, ...rest } = parse(route, loose)
    const exec = (path: string) => {
      const match = pattern.exec(path)
      if (match)
        for (let group = 1; group < match.length; group++) match[group] &&= decoded(match[group] ?? "")
      return match
    }
    return { ...rest, pattern: { exec } }
  }

/** Converts a plain path such as `/inter/chat/abc`, opened by hand or from a notification, to the route. */
export function adoptPlainPath(): void {
  const { pathname, search, hash } = window.location
  if (pathname !== "/" && hash === "") window.history.replaceState(null, "", `/#${pathname}${search}`)
}
