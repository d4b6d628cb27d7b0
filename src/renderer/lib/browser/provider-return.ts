import { isSignedInByProvider } from "./signed-in-by-provider.ts"

/** This tab's route before it left for the provider. */
const placeKey = "place-before-provider"
const askedKey = "asked-provider-at"
/** Minimum time between automatic redirects to the provider, so that a failed sign-in doesn't loop. */
const againMs = 60_000

/** Whether to redirect to the provider without asking. */
export function goesToProvider(): boolean {
  if (!isSignedInByProvider()) return false
  return Date.now() - Number(sessionStorage.getItem(askedKey) ?? 0) > againMs
}

/** Redirects to the provider automatically, after `goesToProvider` has returned true. */
export function goToProvider(): void {
  sessionStorage.setItem(askedKey, String(Date.now()))
  leaveForProvider()
}

/** Redirects to the provider. The user returns to the current route. */
export function leaveForProvider(): void {
  sessionStorage.setItem(placeKey, window.location.hash.slice(1))
  window.location.assign("/api/public/sign-in/provider")
}

/** The route that this tab left for the provider; null if there is none. */
export function placeBeforeProvider(): string | null {
  const place = sessionStorage.getItem(placeKey)
  return place?.startsWith("/") === true && !place.startsWith("/signin") ? place : null
}

export const forgetPlaceBeforeProvider = (): void => sessionStorage.removeItem(placeKey)
