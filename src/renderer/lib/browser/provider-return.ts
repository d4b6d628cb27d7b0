import { isSignedInByProvider } from "./sign-in-storage.ts"

/** This tab's route before it left for the provider. */
const routeKey = "place-before-provider"
const askedKey = "asked-provider-at"
/** Minimum time between automatic redirects to the provider, so that a failed sign-in doesn't loop. */
const retryDelayMs = 60_000

/** Whether to redirect to the provider without asking. */
export function shouldGoToProvider(): boolean {
  if (!isSignedInByProvider()) return false
  return Date.now() - Number(sessionStorage.getItem(askedKey) ?? 0) > retryDelayMs
}

/** Redirects to the provider automatically, after `shouldGoToProvider` has returned true. */
export function goToProvider(): void {
  sessionStorage.setItem(askedKey, String(Date.now()))
  leaveForProvider()
}

/** Redirects to the provider. The user returns to the current route. */
export function leaveForProvider(): void {
  sessionStorage.setItem(routeKey, window.location.hash.slice(1))
  window.location.assign("/api/public/sign-in/provider")
}

/** The route that this tab left for the provider; null if there is none. */
export function getRouteBeforeProvider(): string | null {
  const route = sessionStorage.getItem(routeKey)
  return route?.startsWith("/") === true && !route.startsWith("/signin") ? route : null
}

export const forgetRouteBeforeProvider = (): void => sessionStorage.removeItem(routeKey)
