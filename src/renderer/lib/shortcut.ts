import { useEffect, useEffectEvent } from "react"

const isMac = navigator.platform.startsWith("Mac")

/** How a Cmd/Ctrl shortcut is written on this computer. */
export const shortcutName = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`)

export const isModified = (event: KeyboardEvent): boolean =>
  (isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey

/** Calls `onKey` for keys that nothing else has taken; it calls `preventDefault` on what it takes. */
export function useWindowKeys(onKey: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKey)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !event.isComposing) handle(event)
    }
    window.addEventListener("keydown", listener)
    return () => window.removeEventListener("keydown", listener)
  }, [])
}
