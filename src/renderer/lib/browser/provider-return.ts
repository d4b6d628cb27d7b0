import { isSignedInByProvider } from "./signed-in-by-provider.ts"

/** Of this tab: where it was when it left for the provider. */
const placeKey = "place-before-provider"
const askedKey = "asked-provider-at"
/** Whoever isn't in after the provider answered isn't sent there over and over. */
const againMs = 60_000

/** Whether to go to the provider without asking, once. */
export function goesToProvider(): boolean {
  if (!isSignedInByProvider()) return false
  return Date.now() - Number(sessionStorage.getItem(askedKey) ?? 0) > againMs
}

/** Leaves for the provider unasked, as `goesToProvider` said. */
export function goToProvider(): void {
  sessionStorage.setItem(askedKey, String(Date.now()))
  leaveForProvider()
}

/** Leaves for the provider, to come back to this place of the app. */
export function leaveForProvider(): void {
  sessionStorage.setItem(placeKey, window.location.hash.slice(1))
  window.location.assign("/api/public/sign-in/provider")
}

/** The place that this tab left for the provider; null where it left none. */
export function placeBeforeProvider(): string | null {
  const place = sessionStorage.getItem(placeKey)
  return place?.startsWith("/") === true && !place.startsWith("/signin") ? place : null
}

export const forgetPlaceBeforeProvider = (): void => sessionStorage.removeItem(placeKey)
