import { focusScreen } from "../../lib/keys/keep-focus.ts"
import { navigate, splitHash } from "../../lib/places/hash-location.ts"
import { routes } from "../../lib/places/routes.ts"

/** Under which a window remembers, over a reload too, where one was before the settings. */
const key = "before-settings"

export const isSettings = (path: string): boolean =>
  path === routes.settings || path.startsWith(`${routes.settings}/`)

/** Remembers where one was last outside of the settings; back there, the keyboard is in the screen. Returns how to stop. */
export function rememberPlace(): () => void {
  let inSettings = false
  const onHash = () => {
    const { hash } = window.location
    const left = inSettings
    inSettings = isSettings(splitHash(hash).path)
    if (inSettings) return
    sessionStorage.setItem(key, hash.slice(1) || routes.newChat)
    if (left) focusScreen()
  }
  onHash()
  window.addEventListener("hashchange", onHash)
  return () => window.removeEventListener("hashchange", onHash)
}

/** Where one was before the settings; a new chat where one came straight to them. */
export const placeBefore = (): string => sessionStorage.getItem(key) ?? routes.newChat

/** Goes back to where one was. Who writes in a field of theirs leaves that first: nothing typed is lost by one key. */
export function leaveSettings(): void {
  const { activeElement } = document
  const isField = activeElement?.matches("main :is(input, textarea, select)") ?? false
  if (isField && activeElement instanceof HTMLElement) activeElement.blur()
  else navigate(placeBefore())
}
