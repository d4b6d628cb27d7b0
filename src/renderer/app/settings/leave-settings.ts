import { focusScreen } from "../../lib/keys/keep-focus.ts"
import { navigate, splitHash } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** Storage key for the route before the settings, remembered per window and across reloads. */
const key = "before-settings"

export const isSettings = (path: string): boolean =>
  path === routes.settings || path.startsWith(`${routes.settings}/`)

/** Remembers the last route outside the settings, and moves the focus to the screen on return. Returns a function that stops this. */
export function rememberRoute(): () => void {
  let isInSettings = false
  const onHash = () => {
    const { hash } = window.location
    const left = isInSettings
    isInSettings = isSettings(splitHash(hash).path)
    if (isInSettings) return
    sessionStorage.setItem(key, hash.slice(1) || routes.newChat)
    if (left) focusScreen()
  }
  onHash()
  window.addEventListener("hashchange", onHash)
  return () => window.removeEventListener("hashchange", onHash)
}

/** Returns the route before the settings, or a new chat if the settings were opened directly. */
export const getRouteBeforeSettings = (): string => sessionStorage.getItem(key) ?? routes.newChat

/** Returns to the previous route. In a field, the first call only leaves the field, so that one key press doesn't lose typed text. */
export function leaveSettings(): void {
  const { activeElement } = document
  const isField = activeElement?.matches("main :is(input, textarea, select)") ?? false
  if (isField && activeElement instanceof HTMLElement) activeElement.blur()
  else navigate(getRouteBeforeSettings())
}
