import { navigate, splitHash } from "../../lib/places/hash-location.ts"
import { routes } from "../../lib/places/routes.ts"

/** Under which a window remembers, over a reload too, where one was before the settings. */
const key = "before-settings"

export const isSettings = (path: string): boolean =>
  path === routes.settings || path.startsWith(`${routes.settings}/`)

/** Remembers from where the settings are opened. Returns how to stop. */
export function rememberPlace(): () => void {
  const onHash = ({ oldURL }: HashChangeEvent) => {
    if (!URL.canParse(oldURL)) return // the address was only replaced
    const old = new URL(oldURL).hash
    if (isSettings(splitHash(window.location.hash).path) && !isSettings(splitHash(old).path))
      sessionStorage.setItem(key, old.slice(1))
  }
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
